import type { ApiKeyScope, CreateApiKeyRequest } from "@waymark/shared/api-keys/schema.ts";
import type { Session } from "@waymark/shared/session/schema.ts";
import { EVERYTHING, offeredBy } from "../lib/permission-choice/offered.ts";

const DAY_MS = 24 * 3600 * 1000;

/** The form of a new key as it was filled in. */
export interface KeyForm {
  name: string;
  owner: "service_account" | "user";
  /** The user or the service account, if it is known here. */
  ownerId: string | undefined;
  /** Days, or `never`. */
  lifetime: string | undefined;
  services: readonly string[];
  /** Separated by commas. */
  networks: string;
  permissions: readonly string[];
}

/** The request that creates the key. */
export function keyRequest(form: KeyForm, now: number): CreateApiKeyRequest {
  return {
    name: form.name,
    ownerPrincipalType: form.owner,
    ...(form.ownerId !== undefined && { ownerPrincipalId: form.ownerId }),
    expiresAt: form.lifetime === "never" ? null : daysAfter(now, Number(form.lifetime)),
    allowedNetworks: networksOf(form.networks),
    scopes: scopesOf(form.permissions, form.services),
  };
}

/** Returns the time that is some days after another. */
export function daysAfter(time: number, days: number): string {
  return new Date(time + days * DAY_MS).toISOString();
}

/** Returns the networks of a comma-separated text; null, which is any network, if it has none. */
export function networksOf(text: string): string[] | null {
  const networks = text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  return networks.length === 0 ? null : networks;
}

/** Returns scopes with the permissions, limited to the services; without services, they are not limited. */
export function scopesOf(
  permissions: readonly string[],
  services: readonly string[],
): CreateApiKeyRequest["scopes"] {
  const serviceNames = [...services];
  return permissions.map((permission) =>
    serviceNames.length === 0 ? permission : { permission, resourceConstraints: { serviceNames } },
  );
}

/**
 * The permissions that the signed-in user can give a key of their own: what the roles and the key in use both allow, and everything if the
 * key in use has that, because the roles limit each key anyway.
 */
export function offeredForOwnKey(
  session: Session | null | undefined,
  ownScopes: readonly ApiKeyScope[],
): string[] {
  const offered = offeredBy(session);
  const hasAll = ownScopes.some(
    ({ permission, resourceConstraints = {}, id: _id, ...limits }) =>
      permission === EVERYTHING &&
      // The form has a field for these alone.
      Object.keys(resourceConstraints).every((name) => name === "serviceNames") &&
      Object.values(limits).every((limit) => limit === null || limit === undefined),
  );
  return hasAll && !offered.includes(EVERYTHING) ? [...offered, EVERYTHING] : offered;
}

/** The services that every scope of the signed-in key is limited to. A key that it creates must have the same limit. */
export function ownServiceNames(session: { scopes: readonly ApiKeyScope[] } | null | undefined): string[] {
  const [first, ...others] = (session?.scopes ?? []).map(
    (scope) => scope.resourceConstraints?.["serviceNames"],
  );
  const isSame = others.every((names) => JSON.stringify(names) === JSON.stringify(first));
  return isSame && Array.isArray(first) ? first.filter((name) => typeof name === "string") : [];
}
