import { describe, expect, it } from "vitest";
import { query } from "@waymark/test-support/sql.ts";
import { migrateForTests } from "@waymark/test-support/template-database.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { migrate } from "./migrate.ts";

it("applies a file of functions again when its text has changed, and no other", async () => {
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

/** Tables as the first pre-releases made them, with the names of their migrations. */
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

describe("a database whose migrations are not this version's", () => {
  it("that a pre-release created is refused with what to do, and not changed", async () => {
    await using database = await createTestDatabase({ migrated: false });
    await makePreRelease(database);
    const before = await readTables(database);
    await expect(migrateForTests(database.databaseUrl)).rejects.toThrow(
      "ended with 3:\nwaymark migrate: This database was created by a pre-release of Waymark and can't be upgraded to this version " +
        "(migration 0001-organizations-and-keys.sql): use an empty database in DATABASE_URL.\n",
    );
    expect(await readTables(database)).toEqual(before);
  });

  it("is refused when a migration was edited after it had been applied", async () => {
    await using database = await createTestDatabase();
    await query(
      database,
      "UPDATE waymark_migrations SET sha256 = 'other' WHERE name = '0001-organizations.sql'",
    );
    await expect(migrate(database.databaseUrl)).rejects.toThrow("(migration 0001-organizations.sql)");
  });

  it("is accepted when a newer version added some, so that going back is possible", async () => {
    await using database = await createTestDatabase();
    await query(database, "INSERT INTO waymark_migrations VALUES ('9999-newer.sql', 'any')");
    expect((await migrate(database.databaseUrl)).applied).toEqual([]);
  });
});
