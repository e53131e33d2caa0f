import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { decisionDays } from "@waymark/server/scans/finding-decisions/queries.ts";
import { validationError } from "../../lib/zod-routes.ts";

/** Returns the last day of a decision: the wanted one, or else the latest that the organization allows. @throws AppError `validation_failed` */
export async function lastDayOf(
  tx: DatabaseTransactionConnection,
  { organizationId, until }: { organizationId: string; until: string | null },
): Promise<string> {
  const { today, last } = await decisionDays(tx, { organizationId });
  if (until !== null && (until < today || until > last))
    throw validationError([{ path: "until", message: `must be a day from ${today} to ${last}, in UTC` }]);
  return until ?? last;
}
