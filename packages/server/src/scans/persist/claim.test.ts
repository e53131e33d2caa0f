import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { createPgPool, type PgPool } from "../../db/pool.ts";
import { claimRuns } from "./queries.ts";

const NIL_UUID = "00000000-0000-0000-0000-000000000000";
const FIRST_ORGANIZATION = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
const SECOND_ORGANIZATION = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb";
const [A, B, C, D] = [1, 2, 3, 4].map((n) => `${n}1111111-1111-4111-8111-111111111111`) as [
  string,
  string,
  string,
  string,
];

let database: TestDatabase;
let pool: PgPool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPgPool(serviceUrl(database.databaseUrl), {
    max: 1,
    applicationName: "test",
    onError: () => undefined,
  });
});
beforeEach(() => query(database, "DELETE FROM scan_payloads"));
afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});

async function addPayload(organizationId: string, scanRunId: string, { attempts = 0 } = {}): Promise<void> {
  await query(
    database,
    `INSERT INTO scan_payloads (organization_id, scan_run_id, snapshot_id, endpoint_chunks, finding_chunks,
                                items, items_bytes, attempts)
     VALUES ($1, $2, gen_random_uuid(), '{}', '{}', 'items', 10, $3)`,
    [organizationId, scanRunId, attempts],
  );
}

/** The claimed runs, claim by claim, until nothing is left. */
async function claimAll({ bytesMax = 100 } = {}): Promise<string[][]> {
  const claims: string[][] = [];
  for (let afterOrganizationId = NIL_UUID; ;) {
    const runs = await claimRuns(pool, { afterOrganizationId, runsMax: 10, bytesMax, leaseMs: 60_000 });
    if (runs[0] === undefined) return claims;
    afterOrganizationId = runs[0].organizationId;
    claims.push(runs.map((run) => run.scanRunId).toSorted());
  }
}

it("claims runs of one organization after the other, in turn", async () => {
  await addPayload(FIRST_ORGANIZATION, A);
  await addPayload(FIRST_ORGANIZATION, B);
  await addPayload(SECOND_ORGANIZATION, C);
  await addPayload(SECOND_ORGANIZATION, D);
  expect(await claimAll()).toEqual([
    [A, B],
    [C, D],
  ]);
  await query(database, "UPDATE scan_payloads SET available_at = now(), attempts = 0");
  expect(await claimAll({ bytesMax: 10 })).toEqual([[A], [C], [B], [D]]);
});

it("returns the stored payload, and counts the attempt", async () => {
  await addPayload(FIRST_ORGANIZATION, A, { attempts: 1 });
  const [run] = await claimRuns(pool, {
    afterOrganizationId: NIL_UUID,
    runsMax: 1,
    bytesMax: 1,
    leaseMs: 60_000,
  });
  expect(run).toMatchObject({
    organizationId: FIRST_ORGANIZATION,
    scanRunId: A,
    attempt: 2,
    attemptsExcused: 0,
  });
  expect(run?.items.toString()).toBe("items");
});

it("claims a run individually that was claimed twice before", async () => {
  await addPayload(FIRST_ORGANIZATION, A, { attempts: 2 });
  await addPayload(FIRST_ORGANIZATION, B);
  await addPayload(FIRST_ORGANIZATION, C, { attempts: 5 });
  await addPayload(FIRST_ORGANIZATION, D);
  expect((await claimAll()).toSorted((one, other) => one.length - other.length)).toEqual([[A], [C], [B, D]]);
});
