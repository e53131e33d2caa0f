import { setTimeout as sleep } from "node:timers/promises";
import { withOrganizationClient } from "@waymark/server/db/organization.ts";
import { createPgPool } from "@waymark/server/db/pool.ts";
import { isDatabaseUnavailable } from "@waymark/server/db/unavailable.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { collectChunks, collectSnapshots } from "@waymark/server/scans/retention/queries.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createRandom } from "@waymark/test-support/scale.ts";

const CONNECTIONS_PER_ORGANIZATION = 2;
/** A pause before each step, in which scans can refer to chunks again that nothing refers to. */
const PAUSE_MS_MAX = 200;

export interface Collections {
  /** How many chunks it has deleted so far. */
  chunks(): number;
  /** Stops collecting. `errors` has the failures that were not caused by an unavailable database. */
  stop(): Promise<{ runs: number; snapshots: number; chunks: number; errors: readonly string[] }>;
}

/** Repeatedly deletes completed runs and unreferenced content, on several connections. */
export async function startCollections(
  { databaseUrl, organizationIds }: { databaseUrl: string; organizationIds: readonly string[] },
  { deletable }: { deletable: () => readonly string[] },
): Promise<Collections> {
  // Makes content old enough to be deleted as soon as no run refers to it.
  const old = "ALTER TABLE snapshots ALTER created_at SET DEFAULT now() - interval '2 days'";
  await query({ databaseUrl }, old);
  const loops = organizationIds.flatMap((id) =>
    Array.from({ length: CONNECTIONS_PER_ORGANIZATION }, () => id),
  );
  const pool = createPgPool(serviceUrl(databaseUrl), {
    max: loops.length,
    applicationName: "waymark-worker",
    onError: () => undefined,
  });
  const total = { runs: 0, snapshots: 0, chunks: 0 };
  const errors: string[] = [];
  const end = new AbortController();

  const random = createRandom("collections");
  const pause = () => sleep(random.integer(0, PAUSE_MS_MAX));
  const collect = async (organizationId: string) => {
    const inTransaction = (work: Parameters<typeof withOrganizationClient<number>>[2]) =>
      withOrganizationClient(pool, organizationId, work);
    const batch = { organizationId, batchMax: 100 };
    total.runs += await inTransaction((client) => deleteRuns(client, organizationId, deletable()));
    await pause();
    total.snapshots += await inTransaction((client) => collectSnapshots(client, batch));
    await pause();
    total.chunks += await inTransaction((client) => collectChunks(client, batch));
  };
  const running = loops.map(async (organizationId) => {
    while (!end.signal.aborted) {
      await collect(organizationId).catch((thrown: unknown) => {
        const error = toError(thrown);
        if (!isDatabaseUnavailable(error)) errors.push(error.stack ?? error.message);
      });
      await pause();
    }
  });
  return {
    chunks: () => total.chunks,
    async stop() {
      end.abort();
      await Promise.all(running);
      await pool.end();
      return { ...total, errors };
    },
  };
}

/** Those of these runs that are completed and not current. */
async function deleteRuns(
  client: Parameters<typeof collectChunks>[0],
  organizationId: string,
  scanRunIds: readonly string[],
): Promise<number> {
  const { rowCount } = await client.query(
    `DELETE FROM scan_runs r
     WHERE r.organization_id = $1 AND r.id = ANY ($2) AND r.status = 'completed'
       AND NOT EXISTS (SELECT FROM services s WHERE s.organization_id = $1 AND s.current_run_id = r.id)`,
    [organizationId, scanRunIds],
  );
  return rowCount ?? 0;
}
