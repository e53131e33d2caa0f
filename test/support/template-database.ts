import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { Client } from "pg";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { isAlive } from "./is-alive.ts";
import { runNode } from "./run-node.ts";
import { serviceUrl } from "./service-url.ts";

/** The sources of the schema. While they are equal, the template can be reused. */
const SCHEMA_SOURCES = [
  "packages/server/src/db",
  "packages/server/package.json",
  "services/api/src/migrate.ts",
];
const TEMPLATE_PREFIX = "waymark_template_";
const TEST_PREFIX = "waymark_test_";
// An arbitrary number, which all test runs on a server must share.
const TEMPLATE_LOCK = 7_201_942;

/**
 * Migrates a database with the real command, once per state of the sources, and returns its name.
 *
 * @throws Error with the command's output if the migration fails
 */
export async function prepareTemplate(maintenanceUrl: string): Promise<string> {
  const name = `${TEMPLATE_PREFIX}${hashSources()}`;
  await withClient(maintenanceUrl, async (client) => {
    await client.query("SELECT pg_advisory_lock($1)", [TEMPLATE_LOCK]);
    const existing = await databaseNames(client, TEMPLATE_PREFIX);
    if (existing.includes(name)) return;
    const unfinished = `${name}_new`;
    for (const old of existing) await client.query(`DROP DATABASE IF EXISTS ${old} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${unfinished}`);
    await migrateForTests(databaseUrl(maintenanceUrl, unfinished));
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
  });
  return name;
}

/** Runs the real command, which also makes the login that the tests' services get. */
export async function migrateForTests(ownerUrl: string): Promise<void> {
  const env = { DATABASE_URL: ownerUrl, SERVICE_DATABASE_URL: serviceUrl(ownerUrl) };
  await runNode(["services/api/src/migrate.ts"], env);
}

/** Databases of runs that were killed. */
export async function dropLeftOverDatabases(maintenanceUrl: string): Promise<void> {
  await withClient(maintenanceUrl, async (client) => {
    for (const name of await databaseNames(client, TEST_PREFIX)) {
      const pid = Number(name.slice(TEST_PREFIX.length).split("_")[0]);
      if (!isAlive(pid)) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    }
  });
}

/** A unique name that identifies its test run. */
export function testDatabaseName(): string {
  return `${TEST_PREFIX}${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
}

export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function databaseNames(client: Client, prefix: string): Promise<string[]> {
  const { rows } = await client.query<{ datname: string }>(
    "SELECT datname FROM pg_database WHERE starts_with(datname, $1)",
    [prefix],
  );
  return rows.map((row) => row.datname);
}

function hashSources(): string {
  const hash = createHash("sha256");
  for (const source of SCHEMA_SOURCES) {
    for (const file of filesOf(path.join(root, source))) hash.update(`${file}\0`).update(readFileSync(file));
  }
  return hash.digest("hex").slice(0, 16);
}

function filesOf(source: string): string[] {
  if (!statSync(source).isDirectory()) return [source];
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted();
}
