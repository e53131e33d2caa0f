import { withOrganizationClient } from "@waymark/server/db/organization.ts";
import type { PgClient, PgPool } from "@waymark/server/db/pool.ts";
import type { Logger } from "@waymark/server/lib/logger.ts";
import type { DerivationBatch, DerivedBatch } from "@waymark/server/lib/derivation.ts";
import { eachOrganization } from "./each-organization.ts";
import { repeat } from "./repeat.ts";

const NIL_UUID = "00000000-0000-0000-0000-000000000000";
const INDEX_MS = 10_000;

/** A kind of derived data, and how it is derived for some services in one transaction. */
interface Derivation {
  batchMax: number;
  derive: (client: PgClient, batch: DerivationBatch) => Promise<DerivedBatch>;
}

/** One kind of one organization's data, and the last service for which it was derived in this sweep. */
interface Task {
  organizationId: string;
  derivation: Derivation;
  afterServiceId: string;
}

/** Derives what is new about every ten seconds: readers find what is not derived yet in another way, or say that it is missing. */
export function startIndexing(
  { pool, logger }: { pool: PgPool; logger: Logger },
  derivations: readonly Derivation[],
): { close: () => Promise<void> } {
  const closing = new AbortController();
  const onError = (error: unknown) =>
    logger.error({ err: error }, "data of current content could not be derived");
  const indexing = repeat(() => deriveNewData(pool, derivations, { closing: closing.signal, onError }), {
    everyMs: INDEX_MS,
    onError,
  });
  return {
    async close() {
      closing.abort();
      await indexing.stop();
    },
  };
}

/**
 * Goes through the services whose data is not derived yet. Kinds and organizations take turns, a batch each, so that none waits until
 * another one is complete. A fault of one kind ends that kind until the next sweep.
 */
async function deriveNewData(
  pool: PgPool,
  derivations: readonly Derivation[],
  { closing, onError }: { closing: AbortSignal; onError: (error: unknown) => void },
): Promise<void> {
  const deriveOrReport = (task: Task) =>
    deriveNext(pool, task).catch((error: unknown) => {
      onError(error);
      return undefined;
    });
  let tasks: Task[] = [];
  for await (const organizationId of eachOrganization(pool)) {
    if (closing.aborted) return;
    for (const derivation of derivations) {
      const next = await deriveOrReport({ organizationId, derivation, afterServiceId: NIL_UUID });
      if (next !== undefined) tasks.push(next);
    }
  }
  while (tasks.length > 0) {
    const left: Task[] = [];
    for (const task of tasks) {
      if (closing.aborted) return;
      const next = await deriveOrReport(task);
      if (next !== undefined) left.push(next);
    }
    tasks = left;
  }
}

/** Derives one batch. Returns what is left of the task; undefined if nothing is. */
async function deriveNext(
  pool: PgPool,
  { organizationId, derivation, afterServiceId }: Task,
): Promise<Task | undefined> {
  const { batchMax, derive } = derivation;
  const { found, lastServiceId } = await withOrganizationClient(pool, organizationId, (client) =>
    derive(client, { organizationId, afterServiceId, batchMax }),
  );
  if (found < batchMax || lastServiceId === null) return undefined;
  return { organizationId, derivation, afterServiceId: lastServiceId };
}
