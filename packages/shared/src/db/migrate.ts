import { readFile } from "node:fs/promises";
import { runMigrations } from "bullmq";
import { Client } from "pg";
import { toError } from "../lib/to-error.ts";
import { inTransaction } from "./roles/in-transaction.ts";
import { ensureServiceLogin, ensureServiceRole } from "./roles/service-login.ts";
import { readFunctionFiles, readMigrations, type SqlFile } from "./sql-files.ts";

const GRANTS = new URL("./roles/grants.sql", import.meta.url);
// Any constant does, as long as every version of Waymark uses the same one.
const MIGRATION_LOCK = 8_392_017;

/**
 * Brings the database to this version: the services' role, Waymark's own tables and BullMQ's, the functions, what the role
 * may do with them, and the login of the services. Role, privileges and login are made anew each time: a dump has no
 * roles. Safe to run in several processes at once: one works, the others wait for it.
 *
 * @param databaseUrl a direct connection (no pooler in transaction mode) of a login that may create tables and roles
 * @param options.serviceDatabaseUrl the address that api and worker get; undefined makes no login for them
 * @returns the names of the files applied now, and the services' login
 * @throws Error when a migration that was applied has been edited since, or a login can't be made
 */
export async function migrate(
  databaseUrl: string,
  { serviceDatabaseUrl }: { serviceDatabaseUrl?: string | undefined } = {},
): Promise<{ applied: string[]; serviceLogin: string | undefined }> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    // A schema named like this login must not come first: others may have made it.
    await client.query("SET search_path = public");
    await client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await ensureServiceRole(client);
    const migrations = await applyMigrations(client);
    await runMigrations(client);
    const functions = await applyFunctionsAndGrants(client);
    const applied = [...migrations, ...functions.map((name) => `functions/${name}`)];
    if (serviceDatabaseUrl === undefined) return { applied, serviceLogin: undefined };
    return { applied, serviceLogin: await ensureServiceLogin(client, serviceDatabaseUrl) };
  } finally {
    await client.end();
  }
}

async function applyMigrations(client: Client): Promise<string[]> {
  await client.query(`CREATE TABLE IF NOT EXISTS waymark_migrations (
    name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
  const known = await readApplied(client, "waymark_migrations");
  const applied: string[] = [];
  for (const migration of await readMigrations()) {
    const sha256 = known.get(migration.name);
    if (sha256 === migration.sha256) continue;
    if (sha256 !== undefined) {
      throw new Error(
        `Migration ${migration.name} was edited after it had been applied. Add a new one instead.`,
      );
    }
    await inTransaction(client, () => applyFile(client, "waymark_migrations", migration));
    applied.push(migration.name);
  }
  return applied;
}

/** One transaction: no other login may call a new function before its privileges are right. */
async function applyFunctionsAndGrants(client: Client): Promise<string[]> {
  const grants = await readFile(GRANTS, "utf8");
  await client.query(`CREATE TABLE IF NOT EXISTS waymark_functions (
    name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
  const known = await readApplied(client, "waymark_functions");
  const files = await readFunctionFiles();
  const changed = files.filter((file) => known.get(file.name) !== file.sha256);
  await inTransaction(client, async () => {
    for (const file of changed) await applyFile(client, "waymark_functions", file);
    await client.query(grants);
  });
  return changed.map(({ name }) => name);
}

async function readApplied(client: Client, table: string): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; sha256: string }>(`SELECT name, sha256 FROM ${table}`);
  return new Map(rows.map((row) => [row.name, row.sha256]));
}

async function applyFile(client: Client, table: string, { name, sql, sha256 }: SqlFile): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    throw new Error(`${name} failed: ${toError(error).message}`, { cause: error });
  }
  await client.query(
    `INSERT INTO ${table} (name, sha256) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256, applied_at = now()`,
    [name, sha256],
  );
}
