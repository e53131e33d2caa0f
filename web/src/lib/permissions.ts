import type { Session } from "@waymark/shared/session/schema.ts";

type Scopes = Pick<Session, "scopes">;

/** A session without permissions, for hooks that run before the session is known. */
export const NOBODY: Pick<Session, "organizationId" | "scopes" | "principal"> = {
  organizationId: "",
  scopes: [],
  principal: null,
};

/** True if a person is signed in, with a key of their own. */
export function isUser({ principal }: Pick<Session, "principal">): boolean {
  return principal?.type === "user" && principal.id !== null;
}

/** True if any scope has the permission. Ignores constraints: the API checks them. */
export function hasPermission({ scopes }: Scopes, permission: string): boolean {
  return scopes.some((scope) => scope.permission === permission || scope.permission === "*");
}

/** True if a scope is limited to a service or an environment. */
export function isLimited({ scopes }: Scopes): boolean {
  return scopes.some(({ serviceId, environmentId }) => Boolean(serviceId ?? environmentId));
}

/** The service that the key is limited to by id. Undefined for other keys. */
export function onlyServiceOf(session: Scopes): string | undefined {
  return onlyOf(session, "services:read", "serviceId");
}

/** The environment that the key is limited to by id in this permission. Undefined for other keys. */
export function onlyEnvironmentOf(
  session: Scopes,
  permission: "journeys:read" | "environments:read",
): string | undefined {
  return onlyOf(session, permission, "environmentId");
}

function onlyOf(
  { scopes }: Scopes,
  wanted: string,
  constraint: "serviceId" | "environmentId",
): string | undefined {
  const reading = scopes.filter(({ permission }) => permission === wanted || permission === "*");
  const [first, ...others] = new Set(reading.map((scope) => scope[constraint]));
  return others.length === 0 ? (first ?? undefined) : undefined;
}
