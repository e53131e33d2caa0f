import { expect, it } from "vitest";
import { query } from "../../../../test/support/sql.ts";
import { createTestDatabase } from "../../../../test/support/test-database.ts";
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
