import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { runMigrations } from "bullmq";
import { Client } from "pg";
import { toError } from "../lib/to-error.ts";
import { inTransaction } from "./roles/in-transaction.ts";
import { ensureServiceLogin, ensureServiceRole } from "./roles/service-login.ts";

const MIGRATIONS_DIR = new URL("./migrations/", import.meta.url);
const FIRST_MIGRATION = "0001-organizations-and-keys.sql";
const GRANTS = new URL("./roles/grants.sql", import.meta.url);
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
 * Brings the database to this version: the services' role, Waymark's own tables and BullMQ's, what the role may do with
 * them, and the login of the services. Role, privileges and login are made anew each time: a dump has no roles.
 * Safe to run in several processes at once: one works, the others wait for it.
 *
 * @param databaseUrl a direct connection (no pooler in transaction mode) of a login that may create tables and roles
 * @param options.serviceDatabaseUrl the address that api and worker get; undefined makes no login for them
 * @returns the names of the migrations applied now, and the services' login
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
    const applied = await applyMigrations(client);
    await runMigrations(client);
    const grants = await readFile(GRANTS, "utf8");
    await inTransaction(client, () => client.query(grants));
    if (serviceDatabaseUrl === undefined) return { applied, serviceLogin: undefined };
    return { applied, serviceLogin: await ensureServiceLogin(client, serviceDatabaseUrl) };
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
  return applied;
}

/**
 * The first migration makes the services' role, which is there by now, and can't be edited any more: a login without
 * CREATEROLE must get past it, and Postgres 15 does not know the privilege SET on a role, which all its members have there.
 */
async function adaptFirstMigration(client: Client, sql: string): Promise<string> {
  const { rows } = await client.query<{ version: number }>(
    "SELECT current_setting('server_version_num')::int AS version",
  );
  const adapted = sql.replace("duplicate_object OR unique_violation", "$& OR insufficient_privilege");
  const isOld = (rows[0]?.version ?? 0) < 160_000;
  return isOld ? adapted.replace("'waymark_app', 'SET')", "'waymark_app', 'MEMBER')") : adapted;
}

async function applyMigration(client: Client, migration: Migration): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query(
      migration.name === FIRST_MIGRATION ? await adaptFirstMigration(client, migration.sql) : migration.sql,
    );
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
