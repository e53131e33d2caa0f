import { afterAll, beforeAll, expect, it } from "vitest";
import { query } from "@waymark/test-support/sql.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";

/** A call with more arguments than these is read by counting: related ones are fields of a composite type. */
const ARGUMENTS_MAX = 8;

let database: TestDatabase;
beforeAll(async () => (database = await createTestDatabase()));
afterAll(() => database[Symbol.asyncDispose]());

function functionsWithMoreArguments(): Promise<{ name: string }[]> {
  return query(
    database,
    `SELECT proname AS name FROM pg_proc
     WHERE pronamespace = 'public'::regnamespace AND pronargs > $1 ORDER BY 1`,
    [ARGUMENTS_MAX],
  );
}

it("no function of the database takes more than 8 arguments", async () => {
  expect(await functionsWithMoreArguments()).toEqual([]);
});

it("a function with 9 arguments is found", async () => {
  const types = Array.from({ length: ARGUMENTS_MAX + 1 }, () => "integer").join(", ");
  await query(database, `CREATE FUNCTION astray(${types}) RETURNS integer LANGUAGE sql RETURN 1`);
  expect(await functionsWithMoreArguments()).toEqual([{ name: "astray" }]);
});
