import type { DatabaseCheck } from "../db/readiness.ts";
import type { Logger } from "./logger.ts";
import { createCachedCheck } from "./cached-check.ts";

export interface Readiness {
  /** Whether this process can serve. The queue is reported and never required: Postgres has every accepted run. */
  ready: boolean;
  checks: { database: string; queue: string };
}

/** So long an answer serves everybody who asks: `/readyz` is public. */
const FRESH_MS = 1_000;

/**
 * What `/readyz` of api and worker says, at most one check a second. The log has every change. How the queue is must be
 * known already: a Redis that answers nothing would hold the answer up until probes give up on a process that can serve.
 */
export function createReadiness({
  database,
  queueUsable,
  logger,
}: {
  database: Pick<DatabaseCheck, "check">;
  queueUsable: () => boolean;
  logger: Pick<Logger, "info" | "error">;
}): () => Promise<Readiness> {
  let before = "ok";
  return createCachedCheck(
    async () => {
      const { state, excess } = await database.check();
      if (state !== before) {
        if (state === "ok") logger.info("ready again");
        else logger.error({ database: state, excess }, "not ready: the database can't be used");
      }
      before = state;
      return {
        ready: state === "ok",
        checks: { database: state, queue: queueUsable() ? "ok" : "can't be reached" },
      };
    },
    { freshMs: FRESH_MS },
  );
}

/** The answer of `/readyz`. */
export function readinessResponse({ ready, checks }: Readiness): { status: number; body: object } {
  return { status: ready ? 200 : 503, body: { status: ready ? "ok" : "unavailable", checks } };
}
