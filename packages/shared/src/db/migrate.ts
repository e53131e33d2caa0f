import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { runMigrations } from "bullmq";
import { Client } from "pg";
import { toError } from "../lib/to-error.ts";

const MIGRATIONS_DIR = new URL("./migrations/", import.meta.url);
// Any constant does, as long as every version of Waymark uses the same one.
const MIGRATION_LOCK = 8_392_017;

interface Migration {
  name: string;
  sql: string;
  sha256: string;
}

/** The names of this version's migrations, in order. */
export async function readMigrationNames(): Promise<string[]> {
  return (await readdir(MIGRATIONS_DIR)).filter((name) => name.endsWith(".sql")).toSorted();
}

async function readMigrations(): Promise<Migration[]> {
  const names = await readMigrationNames();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, MIGRATIONS_DIR), "utf8");
      return { name, sql, sha256: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

/**
 * Brings the database to this version: Waymark's own tables and BullMQ's, which the services' role may then use.
 * Safe to run in several processes at once: one works, the others wait for it.
 *
 * @param databaseUrl a direct connection (no pooler in transaction mode) of a login that may create tables and roles
 * @returns the names of the migrations applied now
 * @throws Error when a migration that was applied has been edited since
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
    const applied = await applyMigrations(client);
    await runMigrations(client);
    await client.query(GRANT_QUEUE_TO_SERVICES);
    return applied;
  } finally {
    await client.end();
  }
}

async function applyMigrations(client: Client): Promise<string[]> {
  await client.query(`CREATE TABLE IF NOT EXISTS waymark_migrations (
    name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
  const { rows } = await client.query<{ name: string; sha256: string }>(
    "SELECT name, sha256 FROM waymark_migrations",
  );
  const known = new Map(rows.map((row) => [row.name, row.sha256]));
  const applied: string[] = [];
  for (const migration of await readMigrations()) {
    const sha256 = known.get(migration.name);
    if (sha256 === migration.sha256) continue;
    if (sha256 !== undefined) {
      throw new Error(
        `Migration ${migration.name} was edited after it had been applied. Add a new one instead.`,
      );
    }
    await applyMigration(client, migration);
    applied.push(migration.name);
  }
  // The services look here to tell whether the database is ready for them.
  await client.query("GRANT SELECT ON waymark_migrations TO waymark_app");
  return applied;
}

async function applyMigration(client: Client, migration: Migration): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query(migration.sql);
    await client.query("INSERT INTO waymark_migrations (name, sha256) VALUES ($1, $2)", [
      migration.name,
      migration.sha256,
    ]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw new Error(`Migration ${migration.name} failed: ${toError(error).message}`, { cause: error });
  }
}

const GRANT_QUEUE_TO_SERVICES = `
  GRANT USAGE ON SCHEMA bullmq TO waymark_app;
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA bullmq TO waymark_app;
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA bullmq TO waymark_app;
  GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA bullmq TO waymark_app;
`;
