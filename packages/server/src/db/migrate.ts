import { runMigrations } from "bullmq";
import type { Client } from "pg";
import { createPgClient } from "./address/primary-client.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { recordCompatibility, refuseNewerDatabase } from "./compatibility.ts";
import { refusePooler } from "./direct-connection.ts";
import { takeMigrationLock } from "./migration-lock.ts";
import { refusePreRelease } from "./pre-release.ts";
import { inTransaction, TRIES_MAX } from "./roles/in-transaction.ts";
import { ensureServiceLogin, ensureServiceRole } from "./roles/service-login.ts";
import { refuseOldServer } from "./server-version.ts";
import { readFunctionFiles, readGrants, readMigrations, type SqlFile } from "./sql-files.ts";

/** How long it waits for another migration, and for a lock on what it changes. */
const WAIT_MS = 60_000;

export interface MigrationOptions {
  /** The address for api and worker; undefined creates no login for them. */
  serviceDatabaseUrl?: string | undefined;
  /** Gets a sentence while it waits for another migration. */
  onWaiting?: (message: string) => void;
  waitMs?: number;
}

/**
 * Migrates the database to this version: the services' role, the tables of Waymark and BullMQ, the functions, the role's
 * privileges, and the services' login. Role, privileges and login are set each time, because a dump contains no roles.
 * Several processes can run it at once: one works, the others wait.
 *
 * @param databaseUrl a direct connection (no pooler in transaction mode) of a login that may create tables and roles
 * @returns the names of the files applied now, and the services' login
 * @throws PreReleaseDatabaseError, before it changes anything, if other migrations created the database
 * @throws DatabaseTooNewError, before it changes anything, if a release migrated it that is newer by more than one
 * @throws Error, before it changes anything, for a pooler, a server that is too old, or a migration that does not end
 * @throws Error if the login can't be created, or another transaction holds a lock for a minute
 */
export async function migrate(
  databaseUrl: string,
  { serviceDatabaseUrl, onWaiting = () => undefined, waitMs = WAIT_MS }: MigrationOptions = {},
): Promise<{ applied: string[]; serviceLogin: string | undefined }> {
  const client = createPgClient(databaseUrl, {
    connectionTimeoutMillis: 10_000,
    application_name: "waymark-migrate",
    keepAlive: true,
  });
  await client.connect();
  try {
    await refuseOldServer(client);
    await refusePooler(client, databaseUrl);
    // A schema with this login's name must not come first: somebody else may have created it.
    await client.query("SET search_path = public");
    await takeMigrationLock(client, { waitMs, onWaiting });
    await client.query("SELECT set_config('lock_timeout', $1, false)", [
      `${Math.ceil(waitMs / TRIES_MAX)}ms`,
    ]);
    const pending = await readPendingMigrations(client);
    await ensureServiceRole(client);
    const migrations = await applyMigrations(client, pending);
    await runMigrations(client);
    const functions = await applyFunctionsAndGrants(client);
    const applied = [...migrations, ...functions.map((name) => `functions/${name}`)];
    if (serviceDatabaseUrl === undefined) return { applied, serviceLogin: undefined };
    return { applied, serviceLogin: await ensureServiceLogin(client, serviceDatabaseUrl) };
  } finally {
    await client.end();
  }
}

async function readPendingMigrations(client: Client): Promise<SqlFile[]> {
  const migrations = await readMigrations();
  const applied = await readApplied(client, "waymark_migrations");
  refusePreRelease(applied, migrations);
  await refuseNewerDatabase(
    client,
    migrations.map(({ name }) => name),
  );
  return migrations.filter(({ name }) => !applied.has(name));
}

async function applyMigrations(client: Client, migrations: readonly SqlFile[]): Promise<string[]> {
  await createTableOfApplied(client, "waymark_migrations");
  for (const migration of migrations) {
    await inTransaction(client, () => applyFile(client, "waymark_migrations", migration));
  }
  return migrations.map(({ name }) => name);
}

/** Uses one transaction, so that no other login can call a new function before its privileges are set. */
async function applyFunctionsAndGrants(client: Client): Promise<string[]> {
  const grants = await readGrants();
  await createTableOfApplied(client, "waymark_functions");
  const applied = await readApplied(client, "waymark_functions");
  const files = await readFunctionFiles();
  const changed = files.filter((file) => applied.get(file.name) !== file.sha256);
  await inTransaction(client, async () => {
    for (const file of changed) await applyFile(client, "waymark_functions", file);
    await recordCompatibility(client);
    await client.query(grants);
  });
  return changed.map(({ name }) => name);
}

async function createTableOfApplied(client: Client, table: string): Promise<void> {
  await client.query(`CREATE TABLE IF NOT EXISTS ${table} (
    name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
}

/** The SHA-256 of each applied file by name; empty in an empty database. */
async function readApplied(client: Client, table: string): Promise<Map<string, string>> {
  const { rowCount } = await client.query("SELECT WHERE to_regclass($1) IS NOT NULL", [table]);
  if (rowCount === 0) return new Map();
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
