import type { WantedAssignee } from "@waymark/server/scans/finding-assignments/assignee.queries.ts";
import type { Actor } from "@waymark/shared/api-keys/authorize.ts";

/** Returns the assignee whose findings a query wants; null if it wants all. */
export function wantedAssignee({ userId }: Actor, assignee: string | undefined): WantedAssignee | null {
  return assignee === undefined ? null : { assignee, userId: userId ?? null };
}
