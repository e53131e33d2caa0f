import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { countAssignments } from "@waymark/server/scans/finding-assignments/queries.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { FINDING_COMMENT_LIMITS } from "@waymark/shared/scans/finding-comments/limits.ts";

/** @throws AppError `limit_reached` if one of the services has too many assignments */
export async function assertRoom(
  tx: DatabaseTransactionConnection,
  services: { organizationId: string; serviceIds: readonly string[] },
): Promise<void> {
  const max = FINDING_COMMENT_LIMITS.perServiceMax;
  if ((await countAssignments(tx, services)) <= max) return;
  throw new AppError(
    "limit_reached",
    `A service has at most ${max.toLocaleString("en")} assigned findings. End some of the assignments.`,
  );
}
