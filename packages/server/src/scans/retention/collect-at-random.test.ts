import { afterAll, beforeAll, expect, it } from "vitest";
import { announceSeed, createRandom, scaled } from "@waymark/test-support/scale.ts";
import {
  type CollectionDatabase,
  startCollectionDatabase,
} from "@waymark/test-support/scans/collection-database.ts";
import { pauseAtRandom } from "@waymark/test-support/pauses.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { query } from "@waymark/test-support/sql.ts";
import { withOrganizationClient } from "../../db/organization.ts";
import { deleteOldRuns } from "./queries.ts";

const SCANS = scaled({ short: 200, long: 5_000 });
const CLIENTS = 6;
const SERVICES = 2;
const NIL_UUID = "00000000-0000-0000-0000-000000000000";
/** The number of versions of each item. Contents share most of their chunks, and repeat. */
const GROUPS = 5;
const VERSIONS = 3;
/** The maximum pause after each of their statements, in milliseconds. */
const PAUSES_MS = {
  accept_scan_run: 1,
  lock_snapshot: 1,
  lock_missing_chunks: 1,
  apply_snapshot: 1,
  persist_scan_runs: 1,
  store_chunks: 5,
  store_snapshot: 5,
  collect_snapshots: 20,
  collect_chunks: 20,
};

let world: CollectionDatabase;
beforeAll(async () => {
  announceSeed();
  world = await startCollectionDatabase();
  for (const [name, msMax] of Object.entries(PAUSES_MS)) await pauseAtRandom(world, name, msMax);
  // Makes snapshots deletable as soon as no run has them.
  await query(world, "ALTER TABLE snapshots ALTER created_at SET DEFAULT now() - interval '2 days'");
});
afterAll(() => world[Symbol.asyncDispose]());

const base = scanPayload({ seed: "evolving", endpoints: 12 * GROUPS, findings: 12 });

function contentOf(versions: readonly number[]) {
  return {
    endpoints: base.endpoints.map((endpoint, index) => ({
      ...endpoint,
      summary: `version ${versions[Math.floor(index / 12)]}`,
    })),
    findings: base.findings.map((finding) => ({ ...finding, message: `version ${versions[0]}` })),
  };
}

it(
  `of ${SCANS} scans that go back to earlier content, none is lost to collections all the while`,
  { timeout: 60_000 + SCANS * 200 },
  async () => {
    const random = createRandom("collections");
    const totals = { accepted: 0, completedAtOnce: 0, chunks: 0, snapshots: 0, runs: 0 };
    const versions = Array.from({ length: SERVICES }, () => Array.from({ length: GROUPS }, () => 0));

    const scan = async (): Promise<void> => {
      const service = random.integer(0, SERVICES - 1);
      const changed = [...(versions[service] ?? [])];
      changed[random.integer(0, GROUPS - 1)] = random.integer(1, VERSIONS);
      versions[service] = changed;
      const { outcome } = await world.accept(`service ${service}`, { items: contentOf(changed) });
      expect(["accepted", "completed"]).toContain(outcome);
      totals.accepted++;
      if (outcome === "completed") totals.completedAtOnce++;
    };
    const clients = Array.from({ length: CLIENTS }, () => repeatUntil(() => totals.accepted >= SCANS, scan));
    const scansDone = Promise.all(clients);
    let isDone = false;
    void scansDone.finally(() => (isDone = true)).catch(() => undefined);
    const deleteRuns = () =>
      withOrganizationClient(world.pool, world.organizationId, async (client) => {
        const { organizationId } = world;
        // Runs wait until the data is derived from them.
        for (const name of ["record_service_changes", "record_service_days"])
          await client.query(`SELECT ${name}($1, $2, $3)`, [organizationId, NIL_UUID, SERVICES]);
        return deleteOldRuns(client, { organizationId, keepDays: 0, keepRuns: 1, batchMax: 10 });
      });
    const collect = async () => {
      totals.runs += await deleteRuns();
      totals.snapshots += await world.collectSnapshots();
      totals.chunks += await world.collectChunks();
    };
    const persist = () => world.persist();
    const others = [persist, persist, collect, collect, collect];
    await Promise.all([scansDone, ...others.map((work) => repeatUntil(() => isDone, work))]);

    await world.persist();
    expect(await query(world, "SELECT FROM scan_payloads")).toEqual([]);
    await world.expectIntact((await query(world, "SELECT FROM scan_runs")).length);
    // Otherwise nothing was tested.
    for (const total of Object.values(totals)) expect(total).toBeGreaterThan(0);
  },
);

async function repeatUntil(isDone: () => boolean, work: () => Promise<unknown>): Promise<void> {
  while (!isDone()) await work();
}
