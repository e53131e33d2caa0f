import { createPgPool, type PgPool } from "@waymark/server/db/pool.ts";
import { withOrganizationClient } from "@waymark/server/db/organization.ts";
import { type AcceptOutcome, acceptScan, parseChunkIds } from "@waymark/server/scans/accept/queries.ts";
import { collectChunks, collectSnapshots } from "@waymark/server/scans/retention/queries.ts";
import { expect } from "vitest";
import { hashSnapshots } from "../../faults/support/recount.ts";
import { type ScanDatabase, type ContentOptions, readScan, startScanDatabase } from "./scan-database.ts";
import { serviceUrl } from "../service-url.ts";
import { query } from "../sql.ts";

const ATTEMPTS_MAX = 50;

/** One organization whose scans are accepted, persisted and deleted. */
export interface CollectionDatabase extends ScanDatabase {
  organizationId: string;
  /** Like the api, it sends missing chunks on request. */
  accept(
    service: string,
    content: ContentOptions,
    options?: { pool?: PgPool; sent?: Set<string> },
  ): Promise<AcceptOutcome>;
  /** One connection, for a transaction that stays open. */
  openPool(): PgPool;
  /** @returns how many were deleted */
  collectSnapshots(): Promise<number>;
  collectChunks(): Promise<number>;
  /** Deletes all runs of a service, and makes all snapshots old enough to be collected. */
  deleteRunsOf(service: string): Promise<void>;
  /** Persists waiting runs, and checks that all runs are completed with the rows of their scans. */
  expectIntact(runs: number): Promise<void>;
}

export async function startCollectionDatabase(): Promise<CollectionDatabase> {
  const world = await startScanDatabase();
  const organizationId = await world.createOrganization();
  const collect = (work: typeof collectChunks) =>
    withOrganizationClient(world.pool, organizationId, (client) =>
      work(client, { organizationId, batchMax: 1000 }),
    );

  return {
    ...world,
    organizationId,
    async accept(service, content, { pool = world.pool, sent = new Set<string>() } = {}) {
      const scan = () =>
        readScan(organizationId, crypto.randomUUID(), { seed: service, ...content, service, sent });
      for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        const outcome = await acceptScan(pool, scan());
        if (outcome.outcome === "chunks_needed")
          for (const id of parseChunkIds(outcome.missingChunks)) sent.add(id);
        else if (outcome.outcome !== "conflict" && outcome.outcome !== "in_progress") return outcome;
      }
      throw new Error(`a scan was not accepted in ${ATTEMPTS_MAX} attempts`);
    },
    openPool: () =>
      createPgPool(serviceUrl(world.databaseUrl), {
        max: 1,
        applicationName: "test",
        onError: () => undefined,
      }),
    collectSnapshots: () => collect(collectSnapshots),
    collectChunks: () => collect(collectChunks),
    async deleteRunsOf(service) {
      const ofService = "service_id = (SELECT id FROM services WHERE name = $1)";
      await query(
        world,
        "UPDATE services SET current_run_id = NULL, current_snapshot_id = NULL WHERE name = $1",
        [service],
      );
      await query(world, `DELETE FROM scan_runs WHERE ${ofService}`, [service]);
      await query(world, "UPDATE snapshots SET created_at = now() - interval '2 days'");
    },
    async expectIntact(runs) {
      await world.persist();
      const stored = await query<{ status: string }>(world, "SELECT status FROM scan_runs");
      expect(stored).toEqual(Array.from({ length: runs }, () => ({ status: "completed" })));
      for (const [id, hash] of await hashSnapshots(world)) expect(id).toBe(`${organizationId} ${hash}`);
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}
