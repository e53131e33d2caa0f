import type { PgPool } from "@waymark/server/db/pool.ts";
import type { Logger } from "@waymark/server/lib/logger.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { type ClaimedRun, extendLeases } from "@waymark/server/scans/persist/queries.ts";

/** The share of the lease after which it is extended. Two extensions may fail before it is lost. */
const EXTEND_AFTER = 1 / 3;

/**
 * Extends the lease of claimed runs until it is stopped, so that a slow machine or database doesn't cost an attempt. Most
 * batches finish before the first extension.
 */
export function keepLease(
  { pool, logger, leaseMs }: { pool: PgPool; logger: Logger; leaseMs: number },
  claimed: readonly ClaimedRun[],
): { end(): Promise<void> } {
  const organizationId = claimed[0]?.organizationId;
  let underWay: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    if (organizationId === undefined || underWay !== undefined) return;
    underWay = extendLeases(pool, { organizationId, runs: claimed, leaseMs })
      .catch((thrown: unknown) => {
        logger.warn({ err: toError(thrown), organizationId }, "a lease could not be extended");
      })
      .finally(() => (underWay = undefined));
  }, leaseMs * EXTEND_AFTER);
  return {
    async end() {
      clearInterval(timer);
      await underWay;
    },
  };
}
