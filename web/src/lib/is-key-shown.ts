import type { Session } from "@waymark/shared/session/schema.ts";
import { hasPermission } from "./permissions.ts";

/** True if a run is shown with the key that created it: the key belongs to nobody, and the session may read keys. */
export function isKeyShown(
  run: { creator?: unknown } | undefined,
  session: Pick<Session, "scopes"> | null | undefined,
): boolean {
  if (run === undefined || (run.creator ?? null) !== null) return false;
  return session !== null && session !== undefined && hasPermission(session, "api-keys:read");
}
