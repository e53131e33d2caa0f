import type { PgPool } from "../../db/pool.ts";
import { wasRolledBack } from "../../db/rolled-back.ts";
import { type BatchLimits, createBatcher, RUN_INDIVIDUALLY } from "../../lib/batcher.ts";
import { type AcceptOutcome, acceptScan, acceptScans, type ScanToAccept } from "./queries.ts";

const LIMITS = {
  // A prepared statement is kept for each number of scans.
  itemsMax: 16,
  inFlightMax: 1,
  // As long as a statement for several waits for a lock.
  holdMsMax: 200,
  // A transaction is for one organization.
  groupOf: (scan) => scan.organizationId,
  // More items are a statement's worth by themselves, and the others would wait for them.
  bytesMax: { of: (scan) => scan.sent.items.byteLength, perBatch: 64 * 1024 },
} satisfies BatchLimits<ScanToAccept>;

export interface Acceptance {
  /** As `acceptScan`. */
  accept: (scan: ScanToAccept) => Promise<AcceptOutcome>;
  /** How many scans wait for others' statement to end, or are part of it. */
  waiting: () => number;
}

/**
 * Accepts scans of an organization that come at the same moment in one statement and one commit. What can't be done
 * together is done individually: a scan whose service is locked, and all of them when the statement fails for one.
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
