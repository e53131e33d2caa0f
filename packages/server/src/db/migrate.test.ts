import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { query } from "@waymark/test-support/sql.ts";
import { migrateForTests } from "@waymark/test-support/template-database.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { migrate } from "./migrate.ts";

it("applies a file of functions again if its text has changed, and no other file", async () => {
  await using database = await createTestDatabase();
  expect((await migrate(database.databaseUrl)).applied).toEqual([]);

  const older =
    "CREATE OR REPLACE FUNCTION next_organization_id(p_after uuid) RETURNS uuid LANGUAGE sql AS 'SELECT p_after'";
  await query(database, older);
  await query(database, "UPDATE waymark_functions SET sha256 = 'older' WHERE name = 'organizations.sql'");
  expect((await migrate(database.databaseUrl)).applied).toEqual(["functions/organizations.sql"]);
  expect(
    await query(database, "SELECT prosecdef FROM pg_proc WHERE proname = 'next_organization_id'"),
  ).toEqual([{ prosecdef: true }]);
  expect((await migrate(database.databaseUrl)).applied).toEqual([]);
});

/** Tables of the first pre-releases, with the names of their migrations. */
async function makePreRelease(database: TestDatabase): Promise<void> {
  await query(database, "CREATE TABLE waymark_migrations (name text PRIMARY KEY, sha256 text NOT NULL)");
  await query(database, "CREATE TABLE organizations (id uuid PRIMARY KEY, name text NOT NULL)");
  await query(
    database,
    `INSERT INTO waymark_migrations VALUES ('0001-organizations-and-keys.sql', repeat('0', 64)),
       ('0002-scans.sql', repeat('1', 64)), ('0035-api-key-requests.sql', repeat('2', 64))`,
  );
}

const readTables = (database: TestDatabase) =>
  query(database, "SELECT oid, relname, relacl FROM pg_class WHERE oid >= 16384 ORDER BY oid");

describe("a database with other migrations than this version's", () => {
  it("from a pre-release is refused with instructions, and not changed", async () => {
    await using database = await createTestDatabase({ migrated: false });
    await makePreRelease(database);
    const before = await readTables(database);
    await expect(migrateForTests(database.databaseUrl)).rejects.toThrow(
      "ended with 3:\nwaymark migrate: This database was created by a pre-release of Waymark and can't be upgraded to this version " +
        "(migration 0001-organizations-and-keys.sql): use an empty database in DATABASE_URL.\n",
    );
    expect(await readTables(database)).toEqual(before);
  });

  it("is refused if an applied migration was edited", async () => {
    await using database = await createTestDatabase();
    await query(
      database,
      "UPDATE waymark_migrations SET sha256 = 'other' WHERE name = '0001-organizations.sql'",
    );
    await expect(migrate(database.databaseUrl)).rejects.toThrow("(migration 0001-organizations.sql)");
  });

  it("is accepted if a newer version added some, so that a rollback is possible", async () => {
    await using database = await createTestDatabase();
    await query(database, "INSERT INTO waymark_migrations VALUES ('9999-newer.sql', 'any')");
    expect((await migrate(database.databaseUrl)).applied).toEqual([]);
  });
});

describe("a migration that must wait", () => {
  it("says for which connection, and ends in time with what to do", async () => {
    await using database = await createTestDatabase();
    await using other = await openSession(database.databaseUrl);
    await other.query("SELECT pg_advisory_lock(8392017)");
    const messages: string[] = [];
    const started = performance.now();
    const waiting = migrate(database.databaseUrl, {
      waitMs: 600,
      onWaiting: (text) => void messages.push(text),
    });
    await expect(waiting).rejects.toThrow(
      new RegExp(
        `still taken after 1 s, by connection ${other.pid} of the login .*pg_terminate_backend\\(${other.pid}\\)$`,
      ),
    );
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(messages).toEqual([expect.stringContaining(`connection ${other.pid} of the login`)]);

    await other.query("SELECT pg_advisory_unlock_all()");
    expect((await migrate(database.databaseUrl)).applied).toEqual([]);
  });

  it("for a transaction's lock tries again for a while, then rolls back and says what to do", async () => {
    await using database = await createTestDatabase();
    const older = "UPDATE waymark_functions SET sha256 = 'older' WHERE name = 'organizations.sql'";
    await query(database, older);
    await using other = await openSession(database.databaseUrl);
    await other.query("BEGIN");
    await other.query("ALTER FUNCTION next_organization_id(uuid) COST 7");
    await expect(migrate(database.databaseUrl, { waitMs: 500 })).rejects.toThrow(
      /organizations\.sql failed: .*lock timeout.* this step was rolled back\. Fix: .*pg_terminate_backend/,
    );
    const retried = migrate(database.databaseUrl, { waitMs: 30_000 });
    await other.query("ROLLBACK");
    expect((await retried).applied).toEqual(["functions/organizations.sql"]);
  });
});

/** A connection of somebody else. */
async function openSession(databaseUrl: string): Promise<Client & AsyncDisposable & { pid: number }> {
  const client = new Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return Object.assign(client, {
    pid: rows[0]?.pid ?? 0,
    [Symbol.asyncDispose]: () => client.end(),
  });
}
