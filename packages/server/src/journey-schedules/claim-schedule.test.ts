import { afterAll, beforeAll, expect, it } from "vitest";
import { addScheduleOrganization } from "@waymark/test-support/journey-schedules/organization.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { query } from "@waymark/test-support/sql.ts";
import { DOCUMENT, ENVIRONMENT } from "@waymark/test-support/stored-journeys.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { createPgPool, type PgPool } from "../db/pool.ts";
import { claimSchedule } from "./work.queries.ts";

const LEASE_MS = 60_000;

let database: TestDatabase;
let pool: PgPool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPgPool(serviceUrl(database.databaseUrl), {
    max: 1,
    applicationName: "test",
    onError: (error) => expect.fail(error.message),
  });
});

afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});

async function addSchedules(organizationId: string, count: number): Promise<void> {
  await query(
    database,
    `INSERT INTO journey_schedules (organization_id, id, name, document_id, environment_id, cron, time_zone, overlap, catch_up,
                                    jitter_seconds, next_due_at, next_at, created_by_key_id, updated_by_key_id)
     SELECT $1, gen_random_uuid(), gen_random_uuid(), $2, $3, '* * * * *', 'UTC', 'skip', 'none', 0, now(), now(), $1, $1
     FROM generate_series(1, $4)`,
    [organizationId, DOCUMENT, ENVIRONMENT, count],
  );
}

it("a claim leases one schedule, also while the planner takes the table to be smaller than it is", async () => {
  const organizationId = await addScheduleOrganization(database);
  await addSchedules(organizationId, 1);
  await query(database, "ANALYZE journey_schedules");
  await addSchedules(organizationId, 9);
  const claimed = await claimSchedule(pool, { busyOrganizationIds: [], leaseMs: LEASE_MS, now: undefined });
  const leased = await query<{ id: string }>(
    database,
    "SELECT id FROM journey_schedules WHERE claimed_until IS NOT NULL",
  );
  expect(leased).toEqual([{ id: claimed?.id }]);
});
