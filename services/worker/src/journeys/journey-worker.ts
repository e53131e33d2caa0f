import { setTimeout as sleep } from "node:timers/promises";
import { claimJourneyRuns, renewJourneyRuns } from "@waymark/server/journey-runs/work/queries.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { repeat } from "../lib/repeat.ts";
import { carryOut } from "./carry-out.ts";
import type { ActiveRun } from "./carry-out.ts";
import type { RunContext } from "./run-context.ts";
import { monotonicMs } from "./runner/messages.ts";

const NIL_UUID = "00000000-0000-0000-0000-000000000000";
/** The share of the lease after which it is extended. The same statement brings cancellations, so it is asked often. */
const RENEW_SHARE = 1 / 10;

export interface JourneyWorker {
  /** Claims what waits, as far as there is room. Resolves when that is done, not when the runs have ended. */
  wake: () => Promise<void>;
  /** Claims no more. Runs go over to other workers at their next step; those that don't get there have this time to end. */
  close: (shutdownMs: number) => Promise<void>;
}

/** Carries out runs, as many at a time as there is room for, the organizations in turn. */
// oxlint-disable-next-line max-lines-per-function -- one closure over the runs that are active
export function createJourneyWorker(
  context: RunContext,
  { concurrency, onError }: { concurrency: number; onError: (error: Error) => void },
): JourneyWorker {
  const { pool, leaseMs } = context;
  const active = new Map<string, ActiveRun>();
  let afterOrganizationId = NIL_UUID;
  let claiming: Promise<void> | undefined;
  const state = { isWanted: false, isClosed: false };

  async function claimAll(): Promise<void> {
    do {
      state.isWanted = false;
      // One at a time: so many runs of one organization can't take all the room at once.
      let claimed = true;
      while (claimed && !state.isClosed) claimed = await claimOne();
    } while (state.isWanted && !state.isClosed);
  }

  /** Whether there may be more to claim. */
  async function claimOne(): Promise<boolean> {
    const runsMax = active.size < concurrency ? 1 : 0;
    const askedAt = monotonicMs();
    const claimed = await claimJourneyRuns(pool, { afterOrganizationId, runsMax, leaseMs });
    for (const { claimed: run, work } of claimed) {
      afterOrganizationId = run.organizationId;
      const started = carryOut(context, { claimed: run, work, leaseEndsAt: askedAt + leaseMs });
      active.set(run.runId, started);
      void started.ended.then(() => {
        active.delete(run.runId);
        void wake().catch((error: unknown) => onError(toError(error)));
      });
    }
    return claimed.length > 0 && runsMax > 0;
  }

  function wake(): Promise<void> {
    state.isWanted = true;
    claiming ??= claimAll().finally(() => (claiming = undefined));
    return claiming;
  }

  async function renew(): Promise<void> {
    if (active.size === 0) return;
    const asked = [...active.values()];
    const askedAt = monotonicMs();
    const held = await renewJourneyRuns(pool, { runs: asked.map(({ claimed }) => claimed), leaseMs });
    for (const run of asked) {
      const lease = held.get(run.claimed.runId);
      if (lease === undefined) {
        // It may have ended meanwhile: then losing it changes nothing.
        if (active.get(run.claimed.runId) === run) run.lose();
        continue;
      }
      run.extend(askedAt + leaseMs);
      if (lease.isCancelled) run.cancel();
    }
  }

  const renewing = repeat(renew, { everyMs: leaseMs * RENEW_SHARE, onError });

  return {
    wake,
    async close(shutdownMs) {
      state.isClosed = true;
      await claiming?.catch(() => undefined);
      for (const run of active.values()) run.leave();
      const ended = Promise.all([...active.values()].map((run) => run.ended));
      const timer = new AbortController();
      await Promise.race([
        ended,
        sleep(shutdownMs, undefined, { signal: timer.signal }).catch(() => undefined),
      ]);
      timer.abort();
      await renewing.stop();
      for (const run of active.values()) run.lose();
      context.runners.close();
    },
  };
}
