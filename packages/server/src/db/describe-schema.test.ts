import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { describeSchema } from "./describe-schema.ts";

let database: TestDatabase;
let client: Client;
let unchanged: string;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client(database.databaseUrl);
  await client.connect();
  unchanged = await describeSchema(client);
});
beforeEach(() => client.query("BEGIN"));
afterEach(() => client.query("ROLLBACK"));
afterAll(async () => {
  await client.end();
  await database[Symbol.asyncDispose]();
});

it.each([
  "CREATE TABLE another (id uuid)",
  "CREATE VIEW another AS SELECT 1 AS one",
  "CREATE SEQUENCE another",
  "CREATE DOMAIN another AS text",
  "CREATE TYPE another AS ENUM ('one')",
  "ALTER TABLE sessions ADD COLUMN note text",
  "ALTER TABLE sessions ALTER COLUMN created_at DROP DEFAULT",
  "ALTER TABLE sessions ALTER COLUMN created_at DROP NOT NULL",
  "ALTER TABLE sessions ALTER COLUMN token_hash SET STORAGE PLAIN",
  'ALTER TABLE services ALTER COLUMN name TYPE text COLLATE "POSIX"',
  "ALTER TABLE sessions DROP CONSTRAINT sessions_token_hash_check",
  "ALTER TABLE scan_runs SET (fillfactor = 50)",
  "ALTER TABLE scan_runs SET (toast.autovacuum_enabled = off)",
  "DROP INDEX sessions_token",
  "CREATE TRIGGER another BEFORE UPDATE ON sessions FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
  "ALTER TABLE sessions DISABLE ROW LEVEL SECURITY",
  "ALTER TABLE sessions FORCE ROW LEVEL SECURITY",
  "ALTER POLICY sessions_own ON sessions USING (true)",
  "GRANT TRUNCATE ON sessions TO waymark_app",
  "GRANT UPDATE (scopes) ON api_keys TO waymark_app",
  "GRANT SELECT ON sessions TO PUBLIC",
  "GRANT CREATE ON SCHEMA public TO waymark_app",
  "GRANT EXECUTE ON FUNCTION find_api_key(text) TO PUBLIC",
  "ALTER FUNCTION find_api_key(text) SECURITY INVOKER",
  "ALTER FUNCTION find_api_key(text) RESET search_path",
  "CREATE OR REPLACE FUNCTION current_organization_id() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE RETURN NULL::uuid",
  "CREATE FUNCTION another() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
])("shows %s", async (statement) => {
  await client.query(statement);
  expect(await describeSchema(client)).not.toBe(unchanged);
});

it("shows another body of a function", async () => {
  await client.query("CREATE FUNCTION another() RETURNS integer LANGUAGE sql AS 'SELECT 1'");
  const before = await describeSchema(client);
  await client.query("CREATE OR REPLACE FUNCTION another() RETURNS integer LANGUAGE sql AS 'SELECT 2'");
  expect(await describeSchema(client)).not.toBe(before);
});
