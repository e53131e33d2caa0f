import type { PgPool } from "../../db/pool.ts";
import { wasRolledBack } from "../../db/rolled-back.ts";
import { type BatchLimits, createBatcher, RUN_INDIVIDUALLY } from "../../lib/batcher.ts";
import { type AcceptOutcome, acceptScan, acceptScans, type ScanToAccept } from "./queries.ts";

const LIMITS = {
  // There is a prepared statement for each number of scans.
  itemsMax: 16,
  inFlightMax: 1,
  // A batch waits this long for a lock.
  holdMsMax: 200,
  // A transaction belongs to one organization.
  groupOf: (scan) => scan.organizationId,
  // A scan with more items gets its own statement, because the other scans would wait for it.
  bytesMax: { of: (scan) => scan.sent.items.byteLength, perBatch: 64 * 1024 },
} satisfies BatchLimits<ScanToAccept>;

export interface Acceptance {
  /** Like `acceptScan`. */
  accept: (scan: ScanToAccept) => Promise<AcceptOutcome>;
  /** How many scans wait for a statement to end, including those that are part of it. */
  waiting: () => number;
}

/**
 * Accepts concurrent scans of an organization in one statement and one commit. A scan whose service is locked is accepted
 * individually; if the statement fails because of one scan, so are all others.
 */
export function createAcceptance(pool: PgPool): Acceptance {
  const { add, waiting } = createBatcher<ScanToAccept, AcceptOutcome>(
    {
      async runBatch(scans) {
        const outcomes = await acceptScans(pool, scans, { mayWait: false });
        return outcomes.map((outcome) => (outcome.outcome === "locked" ? RUN_INDIVIDUALLY : outcome));
      },
      runIndividually: (scan) => acceptScan(pool, scan),
      canRetryIndividually: wasRolledBack,
    },
    LIMITS,
  );
  return { accept: add, waiting };
}
