import type { HotPool } from "../../db/pool.ts";
import { isUndone } from "../../db/undone.ts";
import { ALONE, type BatchLimits, createBatcher } from "../../lib/batcher.ts";
import {
  acceptKnownScanRun,
  type AcceptOutcome,
  acceptScanRun,
  type KnownScan,
  type KnownScanRun,
  type NewScanRun,
} from "./queries.ts";
import { acceptKnownScanRuns, acceptNewScanRuns, type FindingScanRun } from "./together/queries.ts";

/** A larger body is a statement's worth by itself, and the others would wait for it. */
const BODY_BYTES_TOGETHER_MAX = 32 * 1024;
const BATCH_BYTES_MAX = 256 * 1024;

const LIMITS = {
  itemsMax: 64,
  inFlightMax: 1,
  // As long as a statement for several waits for a lock.
  holdMsMax: 200,
  // A transaction is for one organization.
  groupOf: (run: { organizationId: string }) => run.organizationId,
} satisfies BatchLimits<{ organizationId: string }>;

/** The ways to accept a run which those that come at the same moment share. */
export interface Acceptance {
  /** As `acceptKnownScanRun`. */
  acceptKnown: (run: KnownScanRun) => Promise<KnownScan | null>;
  /** As `acceptScanRun`. */
  acceptNew: (run: NewScanRun) => Promise<AcceptOutcome>;
  /** How many runs wait for others' statement to end, or are part of it. */
  waiting: () => number;
}

/**
 * Accepts runs of an organization that come at the same moment in one statement and one commit. What can't be done
 * together is done alone: a run whose service is locked, and all of them when the statement fails for one.
 */
export function createAcceptance(pool: HotPool): Acceptance {
  const known = createBatcher<KnownScanRun, KnownScan | null>(
    {
      async together(runs) {
        const results = await acceptKnownScanRuns(pool, runs);
        return results.map((result) => (result === "locked" ? ALONE : result));
      },
      alone: (run) => acceptKnownScanRun(pool, run),
      mayFollowAlone: isUndone,
    },
    LIMITS,
  );
  const fresh = createBatcher<FindingScanRun, AcceptOutcome>(
    {
      async together(runs) {
        const rows = await acceptNewScanRuns(pool, runs);
        return rows.map((row) => ({ ...row, outcome: "accepted", unchanged: false }));
      },
      alone: (run) => acceptScanRun(pool, run),
      mayFollowAlone: isUndone,
    },
    { ...LIMITS, bytesMax: { of: (run) => run.body.byteLength, together: BATCH_BYTES_MAX } },
  );

  return {
    acceptKnown: known.add,
    acceptNew: (run) => (mayComeTogether(run) ? fresh.add(run) : acceptScanRun(pool, run)),
    waiting: () => known.waiting() + fresh.waiting(),
  };
}

function mayComeTogether(run: NewScanRun): run is FindingScanRun {
  return (
    run.service === "find" && run.idempotencyKey === null && run.body.byteLength <= BODY_BYTES_TOGETHER_MAX
  );
}
