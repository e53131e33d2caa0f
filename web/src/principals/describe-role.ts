import type { Role, RoleGrant } from "@waymark/shared/principals/roles/schema.ts";
import { countOf } from "../lib/count-of.ts";
import { EVERYTHING } from "../lib/permission-choice/offered.ts";

const BUILT_IN: Readonly<Record<string, string>> = {
  viewer: "Reads services, scans, endpoints, findings, journeys and environments.",
  developer:
    "Reads, scans, changes services, approves changes, decides about findings, runs journeys and uploads results.",
  "journey-editor": "Reads; creates, changes, runs and schedules journeys, and uploads results.",
  administrator: "May do everything, and gives others their roles.",
};

/** Describes in a sentence what a role allows. */
export function describeRole({ name, permissions, builtIn }: Role): string {
  const known = builtIn ? BUILT_IN[name] : undefined;
  if (known !== undefined) return known;
  return permissions.includes(EVERYTHING)
    ? "May do everything."
    : `${countOf(permissions.length, "permissions")}.`;
}

type Limits = Pick<RoleGrant, "serviceNames" | "ownedBy">;

/** Describes what a role is for: `everything`, names of services, or the services of a team. */
export function describeLimits({ serviceNames, ownedBy }: Limits): string {
  if (ownedBy !== null) return `services of the team ${ownedBy}`;
  return serviceNames === null ? "everything" : serviceNames.join(", ");
}

/** Describes a role with its limit: `developer, only for payments-*`. */
export function describeGrant({ role, ...limits }: Limits & Pick<RoleGrant, "role">): string {
  const isLimited = limits.serviceNames !== null || limits.ownedBy !== null;
  return isLimited ? `${role}, only for ${describeLimits(limits)}` : role;
}
