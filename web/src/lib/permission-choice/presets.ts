import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import { EVERYTHING } from "./offered.ts";

/** Permissions that belong together, by a name. */
export interface Preset {
  id: string;
  label: string;
  description: string;
  permissions: readonly string[];
}

const SCAN: readonly Permission[] = ["scans:create", "services:create", "services:update", "endpoints:write"];
const READ: readonly Permission[] = ["services:read", "endpoints:read"];

/** Sets of permissions that belong together. Most keys need the first one. */
export const PRESETS: readonly Preset[] = [
  {
    id: "ci-scan",
    label: "CI scan",
    description: "Submits scans and creates their services.",
    permissions: SCAN,
  },
  {
    id: "ci-gates",
    label: "CI with gates",
    description: "Also reads results and promotes runs, which gates need.",
    permissions: [...SCAN, ...READ],
  },
  {
    id: "read-only",
    label: "Read only",
    description: "Sees services, runs, endpoints and findings.",
    permissions: READ,
  },
  {
    id: "administrator",
    label: "Administrator",
    description: "Does everything, including managing keys.",
    permissions: [EVERYTHING],
  },
];

/** The presets for keys of one's own. */
export const OWN_PRESETS: readonly Preset[] = [
  {
    id: "everything",
    label: "All that I may do",
    description: "Follows your roles, also when they change.",
    permissions: [EVERYTHING],
  },
  ...PRESETS.filter(({ id }) => id !== "administrator"),
];

/** The presets of which every permission can be granted. */
export function presetsFrom(offered: readonly string[], presets: readonly Preset[] = PRESETS): Preset[] {
  return presets.filter(({ permissions }) => permissions.every((each) => offered.includes(each)));
}

/** The permissions to begin with: those of the preset, if all of them can be granted, else of the first that can be. */
export function firstPermissions(
  offered: readonly string[],
  presetId: string,
  presets: readonly Preset[] = PRESETS,
): string[] {
  const grantable = presetsFrom(offered, presets);
  const preset = grantable.find(({ id }) => id === presetId) ?? grantable[0];
  return [...(preset?.permissions ?? [])];
}

/** Returns the id of the preset with exactly these permissions. Undefined if there is none. */
export function presetOf(
  permissions: readonly string[],
  presets: readonly Preset[] = PRESETS,
): string | undefined {
  const sameAs = (preset: Preset) =>
    preset.permissions.length === permissions.length &&
    preset.permissions.every((each) => permissions.includes(each));
  return presets.find(sameAs)?.id;
}

const ALLOWS: Readonly<Record<string, string>> = {
  "scans:create": "Submit scans",
  "services:read": "Read services and scan runs",
  "services:create": "Submit scans of a new service, which creates it",
  "services:update": "Submit scans of an existing service; promote runs; change, rename and archive it",
  "services:delete": "Delete a service with all of its scans",
  "endpoints:read": "Read endpoints, findings and changes",
  "endpoints:write": "Submit scans that have endpoints",
  "changes:approve": "Approve changes that break clients, so that they pass gates",
  "findings:decide":
    "Decide about findings, so that they pass gates; comment on and assign them; comment on changes",
  "severities:manage": "Set the severities of rules for the whole organization",
  "api-keys:read": "See the organization's keys",
  "api-keys:create": "Create, rotate and enable keys",
  "api-keys:revoke": "Revoke and disable keys",
  "personal-keys:manage": "Create, list and revoke one's own keys, which every user may",
  "principals:read": "See users, their roles and service accounts",
  "teams:manage": "Create, change and delete teams, and choose their members",
  "principals:manage": "Invite people and give them roles; rename and disable users and service accounts",
  "trust:read": "See the policies that give builds short-lived keys",
  "trust:write": "Create, change and delete policies that give builds short-lived keys",
  "journeys:read": "Read journeys, their runs and results",
  "journeys:write": "Create, change and archive journeys",
  "journeys:run": "Run journeys in the cloud, cancel runs",
  "journeys:schedule": "Create, change and pause schedules of journeys",
  "journeys:share": "Share runs of journeys by links that work without an account",
  "journey-results:create": "Upload results of runs made elsewhere",
  "environments:read": "Read environments and the names of their secrets",
  "environments:write": "Create and change environments, release journeys for them",
  "secrets:write": "Set and delete secrets of environments",
  "audit:read": "Read the audit log",
  "operations:read": "Look at the queues, if you operate Waymark",
  [EVERYTHING]: "Everything, also what later versions add",
} satisfies Record<Permission | typeof EVERYTHING, string>;

/** Describes in one line the requests that a permission allows. */
export function describePermission(permission: string): string {
  return ALLOWS[permission] ?? "";
}
