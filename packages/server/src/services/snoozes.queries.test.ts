import { randomUUID } from "node:crypto";
import { holdStatement } from "@waymark/test-support/hold-statement.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withOrganizationClient } from "../db/organization.ts";
import { createPgPool, type PgPool } from "../db/pool.ts";
import { deleteEndedSnoozes } from "./snoozes.queries.ts";

let database: TestDatabase;
let pool: PgPool;
beforeAll(async () => {
  database = await createTestDatabase();
  await query(
    database,
    "ALTER TABLE inbox_snoozes DROP CONSTRAINT inbox_snoozes_organization_id_principal_id_fkey",
  );
  const onError = (error: Error) => expect.fail(error.message);
  pool = createPgPool(serviceUrl(database.databaseUrl), { max: 1, applicationName: "test", onError });
});
afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});

/** Adds snoozes whose time is over. */
const addEnded = (organizationId: string, count: number) =>
  query(
    database,
    `INSERT INTO inbox_snoozes (organization_id, principal_id, kind, subject_id, event, level, until)
     SELECT $1, $1, 'held', gen_random_uuid(), '', 0, now() - interval '1 minute' FROM generate_series(1, $2)`,
    [organizationId, count],
  );
const deleteEnded = (organizationId: string, batchMax: number) =>
  withOrganizationClient(pool, organizationId, (client) =>
    deleteEndedSnoozes(client, { organizationId, batchMax }),
  );

it("a batch has at most its number of snoozes, also while the planner takes the table to be smaller than it is", async () => {
  const organizationId = randomUUID();
  await addEnded(organizationId, 1);
  await query(database, "ANALYZE inbox_snoozes");
  await addEnded(organizationId, 9);
  const deleted: number[] = [];
  for (let batch = 0; batch < 3; batch++) deleted.push(await deleteEnded(organizationId, 4));
  expect(deleted).toEqual([4, 4, 2]);
});

it("a snooze that its person renews at this moment stays, and nobody waits for it", async () => {
  const organizationId = randomUUID();
  await addEnded(organizationId, 2);
  const renewed = `UPDATE inbox_snoozes SET until = now() + interval '1 hour'
    WHERE organization_id = $1 AND subject_id = (SELECT s.subject_id FROM inbox_snoozes s WHERE s.organization_id = $1 LIMIT 1)`;
  await using held = await holdStatement(database, renewed, [organizationId]);
  expect(await deleteEnded(organizationId, 10)).toBe(1);
  await held.commit();
  const rows = await query(database, "SELECT FROM inbox_snoozes WHERE organization_id = $1", [
    organizationId,
  ]);
  expect(rows).toHaveLength(1);
});
