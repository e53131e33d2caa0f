import type { PgClient, PgPool } from "@waymark/shared/db/pool.ts";
import type { Logger } from "@waymark/shared/lib/logger.ts";
import { nextOrganizationId } from "@waymark/shared/scans/retention/queries.ts";
import { inBatches } from "./in-batches.ts";
import { repeat } from "./repeat.ts";

const NIL_UUID = "00000000-0000-0000-0000-000000000000";
const INDEX_MS = 30_000;

/** Work on the current contents of up to `batchMax` services in one transaction. */
interface Indexer {
  batchMax: number;
  /** Returns how many services it found. */
  index: (client: PgClient, batch: { organizationId: string; batchMax: number }) => Promise<number>;
}

/** Indexes what is new about every half a minute: readers find what is not indexed yet in another way. */
export function startIndexing(
  { pool, logger }: { pool: PgPool; logger: Logger },
  indexers: readonly Indexer[],
): { close: () => Promise<void> } {
  const closing = new AbortController();
  const indexing = repeat(() => indexOrganizations(pool, indexers, closing.signal), {
    everyMs: INDEX_MS,
    onError: (error) => logger.error({ err: error }, "current content could not be indexed"),
  });
  return {
    async close() {
      closing.abort();
      await indexing.stop();
    },
  };
}

/** Indexes current content that is not indexed yet, a few services in a transaction, one organization after another. */
async function indexOrganizations(
  pool: PgPool,
  indexers: readonly Indexer[],
  closing: AbortSignal,
): Promise<void> {
  let organizationId = await nextOrganizationId(pool, NIL_UUID);
  while (organizationId !== null && !closing.aborted) {
    for (const { batchMax, index } of indexers) {
      await inBatches({ pool, organizationId }, batchMax, async (client, batch) =>
        closing.aborted ? 0 : index(client, batch),
      );
    }
    organizationId = await nextOrganizationId(pool, organizationId);
  }
}
