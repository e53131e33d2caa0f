import { migrate } from "@waymark/server/db/migrate.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { runNode } from "@waymark/test-support/run-node.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { query } from "@waymark/test-support/sql.ts";
import {
  createHostedOrganization,
  startApi,
  startWorker,
  waitForScanRun,
} from "@waymark/test-support/stack.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { describe, expect, it } from "vitest";

const TOO_NEW =
  /migrated by Waymark 9\.9\.0, and this is .*: one can go back by one release only.* Fix: deploy the release before 9\.9\.0/;

/** Migrates as a next release may: adds a table, and a column that the old version doesn't fill; changes a function. */
async function migrateAsNextRelease(database: TestDatabase, oldestMigration?: string): Promise<void> {
  await query(
    database,
    `CREATE TABLE next_release (id uuid PRIMARY KEY);
     ALTER TABLE scan_runs ADD COLUMN next_release text;
     ALTER TABLE scan_payloads ADD COLUMN next_release integer NOT NULL DEFAULT 1;
     INSERT INTO waymark_migrations (name, sha256) VALUES ('9990-next-release.sql', 'any');
     CREATE OR REPLACE FUNCTION next_organization_id(p_after uuid) RETURNS uuid LANGUAGE sql AS 'SELECT p_after';
     UPDATE waymark_functions SET sha256 = 'next' WHERE name = 'organizations.sql'`,
  );
  if (oldestMigration === undefined) return;
  await query(database, "UPDATE waymark_compatibility SET oldest_migration = $1, migrated_by = '9.9.0'", [
    oldestMigration,
  ]);
}

describe("going back", () => {
  it("by one release finishes the runs that the newer one accepted", async () => {
    await using database = await createTestDatabase();
    const { apiKey } = await createHostedOrganization(database.databaseUrl);
    const accepted: string[] = [];
    {
      await using api = await startApi({ databaseUrl: database.databaseUrl });
      await migrateAsNextRelease(database);
      const http = createHttpClient(api.baseUrl, { key: apiKey });
      for (let n = 0; n < 5; n++) {
        const { body } = await http.post<{ scanRunId: string }>(
          "/api/scans/ingest",
          scanPayload({ serviceName: `service-${n}` }),
        );
        accepted.push(body.scanRunId);
      }
    }
    expect((await migrate(database.databaseUrl)).applied).toEqual(["functions/organizations.sql"]);
    await using api = await startApi({ databaseUrl: database.databaseUrl });
    await using _worker = await startWorker({ databaseUrl: database.databaseUrl });
    const http = createHttpClient(api.baseUrl, { key: apiKey });
    expect((await http.get("/readyz")).status).toBe(200);
    for (const scanRunId of accepted) {
      expect(await waitForScanRun(http, scanRunId)).toMatchObject({ status: "completed" });
    }
  });

  it("by more is refused by migrate, api and worker, which say what to do and change no run", async () => {
    await using database = await createTestDatabase();
    const { apiKey } = await createHostedOrganization(database.databaseUrl);
    await using running = await startApi({ databaseUrl: database.databaseUrl });
    const http = createHttpClient(running.baseUrl, { key: apiKey });
    expect((await http.post("/api/scans/ingest", scanPayload({}))).status).toBe(201);
    await migrateAsNextRelease(database, "9980-between.sql");

    const migration = runNode(["services/api/src/migrate.ts"], { DATABASE_URL: database.databaseUrl });
    await expect(migration).rejects.toThrow(TOO_NEW);
    await expect(migration).rejects.toThrow("ended with 4");
    for (const start of [startApi, startWorker]) {
      await expect(start({ databaseUrl: database.databaseUrl })).rejects.toThrow(TOO_NEW);
    }
    await expect
      .poll(async () => (await http.get<{ checks: { database: string } }>("/readyz")).body.checks.database)
      .toMatch(TOO_NEW);
    expect(await query(database, "SELECT status FROM scan_runs")).toEqual([{ status: "accepted" }]);
  });
});
