import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { excessPrivilegesSql } from "./roles/excess-privileges.ts";

const A = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
const B = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb";
const ID = "cccccccc-cccc-4ccc-8ccc-cccccccccccc";
const OTHER = "dddddddd-dddd-4ddd-8ddd-dddddddddddd";
const HASH = "\\x" + "ab".repeat(32);

/** A row of organization B in every table of a tenant, in an order that foreign keys allow. */
const ROWS_OF_B: Readonly<Record<string, string>> = {
  api_keys: `(organization_id, id, name, prefix, secret_hash, scopes) VALUES ('${B}', '${ID}', 'k', 'wmk_x', '${HASH}', '[]')`,
  sessions: `(organization_id, token_hash, api_key_id, expires_at) VALUES ('${B}', '${HASH}', '${ID}', now())`,
  audit_events: `(organization_id, id, action, api_key_id) VALUES ('${B}', '${ID}', 'api_key.created', '${ID}')`,
  api_key_requests: `(organization_id, created_by, idempotency_key, request_hash, api_key_id) VALUES ('${B}', '${ID}', 'k', '${HASH}', '${ID}')`,
  services: `(organization_id, id, name) VALUES ('${B}', '${ID}', 's')`,
  chunks: `(organization_id, id, endpoint_count, info_count, low_count, medium_count, high_count, critical_count) VALUES ('${B}', '${ID}', 1, 0, 1, 0, 0, 0)`,
  chunk_endpoints: `(organization_id, chunk_id, ordinal, method, path, tags) VALUES ('${B}', '${ID}', 0, 'GET', '/', '{}')`,
  chunk_findings: `(organization_id, chunk_id, ordinal, code, severity, message) VALUES ('${B}', '${ID}', 0, 'c', 'low', 'm')`,
  snapshots: `(organization_id, id, endpoint_chunks, finding_chunks, endpoint_count, finding_count, findings_by_severity) VALUES ('${B}', '${ID}', ARRAY['${ID}'::uuid], ARRAY['${ID}'::uuid], 1, 1, '{}')`,
  service_snapshots: `(organization_id, service_id, snapshot_id, first_seen_at, last_seen_at) VALUES ('${B}', '${ID}', '${ID}', now(), now())`,
  scan_runs: `(organization_id, id, service_id, status, spec_hash, spec_format, endpoint_count, finding_count, promote, ordered_at, created_at, created_by_key_id, contract_version) VALUES ('${B}', '${ID}', '${ID}', 'accepted', 'h', 'openapi', 0, 0, true, now(), now(), '${ID}', 1)`,
  scan_payloads: `(organization_id, scan_run_id, snapshot_id, endpoint_chunks, finding_chunks, items, items_bytes) VALUES ('${B}', '${ID}', '${ID}', '{}', '{}', 'i', 1)`,
  organization_usage: `(organization_id, day, scans, bytes) VALUES ('${B}', '2026-01-01', 1, 1)`,
  idempotency_keys: `(organization_id, key, body_hash, scan_run_id) VALUES ('${B}', 'k', '${HASH}', '${ID}')`,
};

let database: TestDatabase;
let owner: Client;
let service: Client;
let tenantTables: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  owner = new Client({ connectionString: database.databaseUrl });
  service = new Client({ connectionString: serviceUrl(database.databaseUrl) });
  await Promise.all([owner.connect(), service.connect()]);
  const { rows } = await owner.query<{ table_name: string }>(
    `SELECT table_name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'organization_id'
       AND table_name IN (SELECT tablename FROM pg_tables WHERE schemaname = 'public') ORDER BY 1`,
  );
  tenantTables = rows.map((row) => row.table_name);
  await owner.query(`INSERT INTO organizations (id, name) VALUES ('${A}', 'A'), ('${B}', 'B')`);
  for (const [table, row] of Object.entries(ROWS_OF_B)) await owner.query(`INSERT INTO ${table} ${row}`);
});
afterAll(async () => {
  await Promise.all([owner.end(), service.end()]);
  await database[Symbol.asyncDispose]();
});

/** Runs one statement as the services do, acting for an organization, and undoes it. */
async function as(organizationId: string | null, text: string) {
  await service.query("BEGIN");
  try {
    if (organizationId !== null) {
      await service.query("SELECT set_config('waymark.organization_id', $1, true)", [organizationId]);
    }
    return await service.query(text);
  } finally {
    await service.query("ROLLBACK");
  }
}

describe("tenant isolation in the database", () => {
  it("knows every table of a tenant: a new one needs a row here", () => {
    expect(Object.keys(ROWS_OF_B).toSorted()).toEqual(tenantTables);
  });

  it("gives every table of a tenant row-level security and the organization first in its primary key", async () => {
    const { rows } = await owner.query<{ name: string; secured: boolean; first_key_column: string }>(
      `SELECT c.relname AS name, c.relrowsecurity AS secured, a.attname AS first_key_column
       FROM pg_class c
       JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
       WHERE c.relname = ANY($1) ORDER BY 1`,
      [tenantTables],
    );
    expect(rows).toEqual(
      tenantTables.map((name) => ({ name, secured: true, first_key_column: "organization_id" })),
    );
  });

  it("lets the services work as a login that owns nothing, bypasses nothing and can become nobody else", async () => {
    expect((await as(null, excessPrivilegesSql("session_user"))).rows).toEqual([]);
    expect((await owner.query(excessPrivilegesSql("session_user"))).rows).not.toEqual([]);
    await expect(as(A, "ALTER TABLE scan_runs DISABLE ROW LEVEL SECURITY")).rejects.toThrow(/must be owner/);
    await expect(as(A, "DROP TABLE scan_runs")).rejects.toThrow(/must be owner/);
  });

  it.each(Object.keys(ROWS_OF_B))(
    "shows no row of %s to another organization, nor to none",
    async (table) => {
      expect((await as(B, `SELECT FROM ${table}`)).rowCount).toBe(1);
      expect((await as(A, `SELECT FROM ${table}`)).rowCount).toBe(0);
      expect((await as(null, `SELECT FROM ${table}`)).rowCount).toBe(0);
      expect((await as(A, `SELECT FROM ${table} WHERE organization_id = '${B}'`)).rowCount).toBe(0);
    },
  );

  it.each(Object.keys(ROWS_OF_B))("takes no row into %s for another organization", async (table) => {
    const row = ROWS_OF_B[table] ?? "";
    await expect(as(A, `INSERT INTO ${table} ${row}`)).rejects.toThrow(
      /^(chunk|snapshot)/.test(table) ? /permission denied/ : /row-level security/,
    );
  });

  it("stores, locks and collects no content of another organization, also by the functions that are the only way", async () => {
    for (const call of [
      `store_chunks('${B}', ARRAY[ROW('${OTHER}', 0, 'GET', '/', NULL, '{}', NULL)::chunk_endpoint_row], '{}')`,
      `store_snapshot('${B}', '${OTHER}', ARRAY['${ID}'::uuid], '{}', 1, 0)`,
      `lock_snapshot('${B}', '${ID}')`,
      `lock_missing_chunks('${B}', '${ID}', ARRAY['${ID}'::uuid])`,
      `collect_snapshots('${B}', 10)`,
      `collect_chunks('${B}', 10)`,
    ]) {
      await expect(as(A, `SELECT ${call}`)).rejects.toThrow(/another organization/);
      await expect(as(null, `SELECT ${call}`)).rejects.toThrow(/another organization/);
      await as(B, `SELECT ${call}`);
    }
  });

  it("changes and deletes nothing of another organization", async () => {
    expect((await as(A, "UPDATE scan_runs SET promote = false")).rowCount).toBe(0);
    expect((await as(A, "DELETE FROM scan_payloads")).rowCount).toBe(0);
    expect((await as(A, "UPDATE api_keys SET revoked_at = now()")).rowCount).toBe(0);
    expect((await as(A, "DELETE FROM sessions")).rowCount).toBe(0);
    expect((await as(B, "DELETE FROM scan_payloads")).rowCount).toBe(1);
    expect((await as(B, "DELETE FROM sessions")).rowCount).toBe(1);
  });

  it("lets nobody change or delete an audit event, nor a key's scopes or secret, nor extend a session", async () => {
    for (const text of [
      "UPDATE audit_events SET details = '{}'",
      "DELETE FROM audit_events",
      "TRUNCATE audit_events",
      "UPDATE api_keys SET scopes = '[]'",
      "UPDATE api_keys SET secret_hash = secret_hash",
      "UPDATE api_keys SET allowed_networks = NULL",
      "DELETE FROM api_keys",
      "UPDATE sessions SET expires_at = now() + interval '1 year'",
      "UPDATE sessions SET api_key_id = api_key_id",
    ]) {
      await expect(as(B, text)).rejects.toThrow(/permission denied/);
    }
  });

  it("forgets the organization when the transaction ends", async () => {
    await as(B, "SELECT 1");
    expect((await service.query("SELECT FROM services")).rowCount).toBe(0);
  });
});
