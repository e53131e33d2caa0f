import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { query } from "@waymark/test-support/sql.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { createTestDatabase } from "@waymark/test-support/test-database.ts";
import { withOrganizationClient } from "../../db/organization.ts";
import { createPgPool } from "../../db/pool.ts";
import { deleteExpiredIdempotencyKeys } from "./queries.ts";

it("a batch has at most its number of keys, also while the planner takes the table to be smaller than it is", async () => {
  await using database = await createTestDatabase();
  const pool = createPgPool(serviceUrl(database.databaseUrl), {
    max: 1,
    applicationName: "test",
    onError: (error) => expect.fail(error.message),
  });
  const organizationId = randomUUID();
  const addExpired = (count: number) =>
    query(
      database,
      `INSERT INTO idempotency_keys (organization_id, key, body_hash, scan_run_id, created_at)
       SELECT $1, gen_random_uuid(), ''::bytea, $1, now() - interval '2 days' FROM generate_series(1, $2)`,
      [organizationId, count],
    );
  await addExpired(1);
  await query(database, "ANALYZE idempotency_keys");
  await addExpired(9);
  const deleted: number[] = [];
  for (let batch = 0; batch < 3; batch++)
    deleted.push(
      await withOrganizationClient(pool, organizationId, (client) =>
        deleteExpiredIdempotencyKeys(client, { organizationId, batchMax: 4 }),
      ),
    );
  await pool.end();
  expect(deleted).toEqual([4, 4, 2]);
});
