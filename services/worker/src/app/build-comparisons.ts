import { ENGINE_VERSION } from "@waymark/contract-diff/engine-version.ts";
import type { PgPool } from "@waymark/server/db/pool.ts";
import { isDatabaseUnavailable } from "@waymark/server/db/unavailable.ts";
import { COMPARISON_LIMITS } from "@waymark/server/journeys/compiler/compare-descriptions.ts";
import { createCompiler } from "@waymark/server/journeys/compiler/compiler.ts";
import { createOutageLog } from "@waymark/server/lib/outage-log.ts";
import type { Observability } from "@waymark/server/observability/start.ts";
import type { WorkerConfig } from "../config.ts";
import { repeat } from "../lib/repeat.ts";
import { createComparer } from "../scans/comparisons/comparer.ts";
import { createOutdatedComparisons } from "../scans/comparisons/outdated-comparisons.ts";
import { createComparisonMetrics } from "./comparison-metrics.ts";

/** The first pause between attempts, in intervals of polling. */
const PAUSES = 5;

/** The part of the worker that compares the descriptions of runs. */
export interface RunningComparisons {
  /** Starts no more. What is being compared is left to another worker. */
  close: () => Promise<void>;
}

export function buildComparisons(
  { reconcileMs, leaseMs, housekeepingMs }: Pick<WorkerConfig, "reconcileMs" | "leaseMs" | "housekeepingMs">,
  {
    pool,
    observability: { logger, registry },
  }: { pool: PgPool; observability: Pick<Observability, "logger" | "registry"> },
): RunningComparisons {
  const compiler = createCompiler({ processes: 1, limits: COMPARISON_LIMITS });
  const outage = createOutageLog(logger, { what: "the database" });
  const comparer = createComparer({
    pool,
    logger,
    compiler,
    observer: createComparisonMetrics(registry),
    leaseMs,
    pauseMs: reconcileMs * PAUSES,
    engine: ENGINE_VERSION,
    outdated: createOutdatedComparisons({ pool, engine: ENGINE_VERSION, everyMs: housekeepingMs }),
  });
  const polling = repeat(
    async () => {
      await comparer.run();
      outage.recovered();
    },
    {
      everyMs: reconcileMs,
      onError(error) {
        if (isDatabaseUnavailable(error)) outage.failed(error);
        else logger.error({ err: error }, "descriptions of runs could not be compared");
      },
    },
  );
  return {
    async close() {
      comparer.close();
      compiler[Symbol.dispose]();
      await polling.stop();
    },
  };
}
