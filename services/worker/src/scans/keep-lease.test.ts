import { setTimeout as sleep } from "node:timers/promises";
import { createPgPool, type PgPool } from "@waymark/server/db/pool.ts";
import { createLogger } from "@waymark/server/lib/logger.ts";
import { claimRuns } from "@waymark/server/scans/persist/queries.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { keepLease } from "./keep-lease.ts";

const ORGANIZATION = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
const KEPT = "11111111-1111-4111-8111-111111111111";
const LOST = "22222222-2222-4222-8222-222222222222";
const GIVEN_UP = "33333333-3333-4333-8333-333333333333";
const LEASE_MS = 300;

let database: TestDatabase;
let pool: PgPool;
beforeAll(async () => {
  database = await createTestDatabase();
  const url = serviceUrl(database.databaseUrl);
  pool = createPgPool(url, { max: 2, applicationName: "test", onError: () => undefined });
  await query(database, "INSERT INTO organizations (id, name) VALUES ($1, 'A')", [ORGANIZATION]);
  for (const id of [KEPT, LOST, GIVEN_UP]) {
    await query(
      database,
      `INSERT INTO scan_payloads (organization_id, scan_run_id, snapshot_id, endpoint_chunks, finding_chunks,
                                  items, items_bytes)
       VALUES ($1, $2, gen_random_uuid(), '{}', '{}', 'rows', 1)`,
      [ORGANIZATION, id],
    );
  }
});
afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});

async function leases(): Promise<Record<string, number | null>> {
  const rows = await query<{ id: string; until: Date | null }>(
    database,
    "SELECT scan_run_id AS id, available_at AS until FROM scan_payloads",
  );
  return Object.fromEntries(rows.map((row) => [row.id, row.until?.getTime() ?? null]));
}

it("extends only the leases that the worker still holds, until it is done", async () => {
  const claimed = await claimRuns(pool, {
    afterOrganizationId: "00000000-0000-0000-0000-000000000000",
    runsMax: 10,
    bytesMax: 100,
    leaseMs: LEASE_MS,
  });
  expect(claimed).toHaveLength(3);
  await query(database, "UPDATE scan_payloads SET attempts = attempts + 1 WHERE scan_run_id = $1", [LOST]);
  await query(database, "UPDATE scan_payloads SET available_at = NULL WHERE scan_run_id = $1", [GIVEN_UP]);
  const before = await leases();

  const logger = createLogger({ service: "worker", level: "silent" });
  const kept = keepLease({ pool, logger, leaseMs: LEASE_MS }, claimed);
  for (let times = 0, last = before[KEPT]; times < 3;) {
    await sleep(10);
    const now = (await leases())[KEPT];
    if (now !== last) times++;
    last = now;
  }
  await kept.end();

  const after = await leases();
  expect(after[KEPT]).toBeGreaterThan(before[KEPT] ?? 0);
  expect(after).toMatchObject({ [LOST]: before[LOST], [GIVEN_UP]: null });
  await sleep(LEASE_MS);
  expect(await leases()).toEqual(after);
});
