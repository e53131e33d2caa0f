import { randomUUID } from "node:crypto";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { createTestDatabase } from "@waymark/test-support/test-database.ts";
import { Client } from "pg";
import { sql } from "slonik";
import { expect, it } from "vitest";
import { z } from "zod";
import { withOrganization } from "../db/organization.ts";
import { createDatabasePool } from "../db/pool.ts";
import { createKey } from "./create-key.ts";
import { lockApiKeys, replaceApiKey } from "./queries.ts";

it("a key that was ended after a transaction began is not active for it once it has the lock", async () => {
  await using database = await createTestDatabase();
  const organizationId = randomUUID();
  const owner = new Client({ connectionString: database.databaseUrl });
  await owner.connect();
  await owner.query("INSERT INTO organizations (id, name) VALUES ($1, 'test')", [organizationId]);
  await owner.end();
  const pool = await createDatabasePool(serviceUrl(database.databaseUrl), {
    max: 2,
    applicationName: "test",
  });
  const apiKeyId = randomUUID();
  await withOrganization(pool, organizationId, (tx) =>
    createKey(tx, {
      organizationId,
      id: apiKeyId,
      name: "leaked",
      ownerPrincipalType: "service_account",
      ownerPrincipalId: null,
      createdBy: null,
      scopes: [{ permission: "*" }],
      expiresAt: null,
      allowedNetworks: null,
    }),
  );
  await withOrganization(pool, organizationId, async (earlier) => {
    await earlier.query(sql.type(z.object({ now: z.string() }))`SELECT now()::text AS now`);
    await withOrganization(pool, organizationId, (tx) =>
      replaceApiKey(tx, { organizationId, apiKeyId, replacedBy: randomUUID(), graceSeconds: 0 }),
    );
    const locked = await lockApiKeys(earlier, { organizationId, apiKeyIds: [apiKeyId] });
    expect(locked.get(apiKeyId)?.status).toBe("expired");
  });
  await pool.end();
});
