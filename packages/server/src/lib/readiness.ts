import type { DatabaseCheck } from "../db/readiness.ts";
import type { Logger } from "./logger.ts";
import { createCachedCheck } from "./cached-check.ts";

export interface Readiness {
  /** Whether this process can serve. The queue's state is reported but not required: Postgres has every accepted run. */
  ready: boolean;
  checks: { database: string; queue: string; process?: string };
}

/** Marks a process that will stop soon as not ready, so that load balancers send it no more requests. */
export function notReadyBecauseItStops({ checks }: Readiness): Readiness {
  return { ready: false, checks: { ...checks, process: "is shutting down" } };
}

/** How long a result is cached: `/readyz` is public. */
const FRESH_MS = 1_000;

/**
 * Creates the check behind `/readyz` of api and worker, which runs at most once a second and logs every change. The queue's
 * state must be known already: waiting for a hanging Redis would make probes fail although the process can serve.
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

/** The response of `/readyz`. */
export function readinessResponse({ ready, checks }: Readiness): { status: number; body: object } {
  return { status: ready ? 200 : 503, body: { status: ready ? "ok" : "unavailable", checks } };
}
