import { type CreateApiKeyRequest, PERMISSIONS } from "@waymark/shared/api-keys/schema.ts";
import type { Session } from "@waymark/shared/session/schema.ts";
import { hasPermission } from "../lib/permissions.ts";

const DAY_MS = 24 * 3600 * 1000;

/** The permission that includes every other. */
export const EVERYTHING = "*";

/** The form of a new key as it was filled in. */
export interface KeyForm {
  name: string;
  owner: "service_account" | "user";
  /** Days, or `never`. */
  lifetime: string | undefined;
  services: readonly string[];
  /** Separated by commas. */
  networks: string;
  permissions: readonly string[];
}

/** The request that creates the key. */
export function keyRequest(form: KeyForm, now: number): CreateApiKeyRequest {
  const serviceNames = [...form.services];
  const allowedNetworks = listOf(form.networks);
  return {
    name: form.name,
    ownerPrincipalType: form.owner,
    expiresAt:
      form.lifetime === "never" ? null : new Date(now + Number(form.lifetime) * DAY_MS).toISOString(),
    allowedNetworks: allowedNetworks.length === 0 ? null : allowedNetworks,
    scopes: form.permissions.map((permission) =>
      serviceNames.length === 0 ? permission : { permission, resourceConstraints: { serviceNames } },
    ),
  };
}

/** Splits a comma-separated text into its items. */
function listOf(text: string): string[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/** The permissions that the signed-in key can grant: those it has. */
export function offeredBy(session: Session | null | undefined): string[] {
  if (session === null || session === undefined) return [];
  const every = session.scopes.some((scope) => scope.permission === EVERYTHING);
  return [
    ...PERMISSIONS.filter((permission) => hasPermission(session, permission)),
    ...(every ? [EVERYTHING] : []),
  ];
}

/** The services that every scope of the signed-in key is limited to. A key that it creates must have the same limit. */
export function ownServiceNames(session: Session | null | undefined): string[] {
  const [first, ...others] = (session?.scopes ?? []).map(
    (scope) => scope.resourceConstraints?.["serviceNames"],
  );
  const isSame = others.every((names) => JSON.stringify(names) === JSON.stringify(first));
  return isSame && Array.isArray(first) ? first.filter((name) => typeof name === "string") : [];
}
