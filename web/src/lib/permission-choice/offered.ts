import { PERMISSIONS } from "@waymark/shared/api-keys/schema.ts";
import type { Session } from "@waymark/shared/session/schema.ts";
import { hasPermission } from "../permissions.ts";

/** The permission that includes every other. */
export const EVERYTHING = "*";

/** The permissions that the signed-in key can grant: those it has. */
export function offeredBy(session: Session | null | undefined): string[] {
  if (session === null || session === undefined) return [];
  const every = session.scopes.some((scope) => scope.permission === EVERYTHING);
  return [
    ...PERMISSIONS.filter((permission) => hasPermission(session, permission)),
    ...(every ? [EVERYTHING] : []),
  ];
}
