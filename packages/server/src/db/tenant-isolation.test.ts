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
const NONCE = "\\x" + "ab".repeat(12);
const DESCRIPTION = JSON.stringify({
  hash: "cd".repeat(32),
  format: "json",
  size: 0,
  canonicalHash: "cd".repeat(32),
  canonicalSize: 0,
  operationsHash: "cd".repeat(32),
});
const OTHER_HASH = "\\x" + "cd".repeat(32);

/** A row of organization B in every tenant table, in an order that foreign keys allow. */
const ROWS_OF_B: Readonly<Record<string, string>> = {
  api_keys: `(organization_id, id, name, prefix, secret_hash, scopes) VALUES ('${B}', '${ID}', 'k', 'wmk_x', '${HASH}', '[]')`,
  sessions: `(organization_id, token_hash, api_key_id, expires_at) VALUES ('${B}', '${HASH}', '${ID}', now())`,
  audit_events: `(organization_id, id, action, api_key_id) VALUES ('${B}', '${ID}', 'api_key.created', '${ID}')`,
  api_key_requests: `(organization_id, created_by, idempotency_key, request_hash, api_key_id) VALUES ('${B}', '${ID}', 'k', '${HASH}', '${ID}')`,
  trust_policies: `(organization_id, id, name, issuer, audience, conditions, scopes, lifetime_seconds, created_by_key_id, updated_by_key_id) VALUES ('${B}', '${ID}', 'p', 'i', 'a', '{}', '[]', 900, '${ID}', '${ID}')`,
  exchanged_tokens: `(organization_id, token_hash, expires_at) VALUES ('${B}', '${HASH}', now())`,
  principals: `(organization_id, id, kind, display_name, email) VALUES ('${B}', '${ID}', 'user', 'u', 'u@example.com')`,
  roles: `(organization_id, name, permissions) VALUES ('${B}', 'r', '{scans:create}')`,
  teams: `(organization_id, id, slug, display_name) VALUES ('${B}', '${ID}', 't', 't')`,
  team_members: `(organization_id, team_id, principal_id) VALUES ('${B}', '${ID}', '${ID}')`,
  saved_views: `(organization_id, id, principal_id, name, page, query) VALUES ('${B}', '${ID}', '${ID}', 'v', '/', '')`,
  inbox_snoozes: `(organization_id, principal_id, kind, subject_id, event, level, until) VALUES ('${B}', '${ID}', 'held', '${ID}', '', 0, now())`,
  role_grants: `(organization_id, id, principal_id, role) VALUES ('${B}', '${ID}', '${ID}', 'viewer')`,
  invitations: `(organization_id, id, email, roles, token_hash, expires_at) VALUES ('${B}', '${ID}', 'i@example.com', '[]', '${HASH}', now())`,
  identity_providers: `(organization_id, id, display_name, issuer, client_id, scopes, email_domains, groups, groups_claim, trusts_email, roles) VALUES ('${B}', '${ID}', 'p', 'https://i', 'c', '{}', '{example.com}', '{}', 'groups', false, '[]')`,
  sign_in_domains: `(organization_id, domain, identity_provider_id) VALUES ('${B}', 'example.com', '${ID}')`,
  principal_identities: `(organization_id, identity_provider_id, subject, principal_id) VALUES ('${B}', '${ID}', 's', '${ID}')`,
  sign_ins: `(organization_id, token_hash, identity_provider_id, again, expires_at) VALUES ('${B}', '${HASH}', '${ID}', false, now())`,
  services: `(organization_id, id, name) VALUES ('${B}', '${ID}', 's')`,
  service_aliases: `(organization_id, name, service_id) VALUES ('${B}', 'alias', '${ID}')`,
  service_badges: `(organization_id, service_id, token_hash, created_by_key_id) VALUES ('${B}', '${ID}', '${HASH}', '${ID}')`,
  chunks: `(organization_id, id, endpoint_count, info_count, low_count, medium_count, high_count, critical_count) VALUES ('${B}', '${ID}', 1, 0, 1, 0, 0, 0)`,
  chunk_endpoints: `(organization_id, chunk_id, ordinal, method, path, tags) VALUES ('${B}', '${ID}', 0, 'GET', '/', '{}')`,
  chunk_findings: `(organization_id, chunk_id, ordinal, code, severity, message) VALUES ('${B}', '${ID}', 0, 'c', 'low', 'm')`,
  snapshots: `(organization_id, id, endpoint_chunks, finding_chunks, endpoint_count, finding_count, findings_by_severity) VALUES ('${B}', '${ID}', ARRAY['${ID}'::uuid], ARRAY['${ID}'::uuid], 1, 1, '{}')`,
  chunk_words: `(organization_id, chunk_id, words) VALUES ('${B}', '${ID}', 'w')`,
  indexed_snapshots: `(organization_id, snapshot_id) VALUES ('${B}', '${ID}')`,
  service_rules: `(organization_id, service_id, snapshot_id, severity, code, seen_on, part, finding_count, indexes, chunks, ordinals, fingerprints, words, first_days) VALUES ('${B}', '${ID}', '${ID}', 'low', 'c', '2026-01-01', 0, 1, '{0}', '{1}', '{0}', '{${ID}}', 'w', '{2026-01-01}')`,
  service_changes: `(organization_id, service_id, scan_run_id, changed_at, removed_endpoints, new_critical, new_high) VALUES ('${B}', '${ID}', '${ID}', now(), 0, 0, 0)`,
  service_derivations: `(organization_id, service_id, kind, history) VALUES ('${B}', '${ID}', 'rules', 1)`,
  service_days: `(organization_id, service_id, day, ordered_at, scan_run_id, endpoint_count, info, low, medium, high, critical) VALUES ('${B}', '${ID}', '2026-01-01', now(), '${ID}', 0, 0, 0, 0, 0, 0)`,
  stale_totals: `(organization_id) VALUES ('${B}')`,
  seen_items: `(organization_id, service_id, item, first_seen_at) VALUES ('${B}', '${ID}', '${ID}', now())`,
  daily_totals: `(organization_id, day, service_count, endpoint_count, info, low, medium, high, critical) VALUES ('${B}', '2026-01-01', 1, 1, 0, 0, 0, 0, 0)`,
  overview_days: `(organization_id, day, recorded_at) VALUES ('${B}', '2026-01-01', now())`,
  service_break_days: `(organization_id, service_id, day, breaking, compared, not_compared) VALUES ('${B}', '${ID}', '2026-01-01', 0, 0, 0)`,
  stale_break_days: `(organization_id, service_id, day) VALUES ('${B}', '${ID}', '2026-01-01')`,
  break_derivations: `(organization_id, service_id, history) VALUES ('${B}', '${ID}', 1)`,
  daily_breaks: `(organization_id, day, breaking, compared, not_compared) VALUES ('${B}', '2026-01-01', 0, 0, 0)`,
  service_snapshots: `(organization_id, service_id, snapshot_id, first_seen_at, last_seen_at) VALUES ('${B}', '${ID}', '${ID}', now(), now())`,
  scan_runs: `(organization_id, id, service_id, status, spec_hash, spec_format, endpoint_count, finding_count, promote, ordered_at, created_at, created_by_key_id, contract_version) VALUES ('${B}', '${ID}', '${ID}', 'accepted', 'h', 'openapi', 0, 0, true, now(), now(), '${ID}', 1)`,
  scan_payloads: `(organization_id, scan_run_id, snapshot_id, endpoint_chunks, finding_chunks, items, items_bytes) VALUES ('${B}', '${ID}', '${ID}', '{}', '{}', 'i', 1)`,
  description_chunks: `(organization_id, id, size, bytes) VALUES ('${B}', '${ID}', 1, 'b')`,
  descriptions: `(organization_id, hash, format, size, chunks, canonical_hash, canonical_size, operations_hash) VALUES ('${B}', '${HASH}', 'json', 1, ARRAY['${ID}'::uuid], '${HASH}', 1, '${HASH}')`,
  scan_run_descriptions: `(organization_id, scan_run_id, description_hash, created_by_key_id) VALUES ('${B}', '${ID}', '${HASH}', '${ID}')`,
  scan_comparisons: `(organization_id, scan_run_id, base_run_id, base_ordered_at, outcome, engine) VALUES ('${B}', '${ID}', '${ID}', now(), 'compared', 1)`,
  scan_comparison_tasks: `(organization_id, scan_run_id) VALUES ('${B}', '${ID}')`,
  change_approvals: `(organization_id, id, service_id, fingerprint, reason, created_by_key_id) VALUES ('${B}', '${ID}', '${ID}', '0123456789abcdef0123456789abcdef', 'r', '${ID}')`,
  finding_decisions: `(organization_id, id, service_id, code, kind, reason, until, created_by_key_id) VALUES ('${B}', '${ID}', '${ID}', 'c', 'wont_fix', 'r', '2026-01-01', '${ID}')`,
  finding_comments: `(organization_id, id, service_id, fingerprint, text, created_by_key_id) VALUES ('${B}', '${ID}', '${ID}', '${ID}', 't', '${ID}')`,
  journey_run_links: `(organization_id, id, run_id, token_hash, includes, created_by_key_id, expires_at) VALUES ('${B}', '${ID}', '${ID}', '${HASH}', 'verdicts', '${ID}', now())`,
  scan_run_comments: `(organization_id, scan_run_id, id, text, created_by_key_id) VALUES ('${B}', '${ID}', '${ID}', 't', '${ID}')`,
  finding_assignments: `(organization_id, service_id, fingerprint, id, code, message, principal_id, assigned_by_key_id) VALUES ('${B}', '${ID}', '${ID}', '${ID}', 'c', 'm', '${ID}', '${ID}')`,
  severity_policies: `(organization_id, revision, rules, updated_by_key_id) VALUES ('${B}', 1, '[]', '${ID}')`,
  organization_usage: `(organization_id, day, scans, bytes) VALUES ('${B}', '2026-01-01', 1, 1)`,
  blobs: `(organization_id, hash, size, bytes) VALUES ('${B}', '${HASH}', 1, 'b')`,
  // With its first version, which its foreign key asks for at the end of the transaction.
  journey_documents: `(organization_id, id, path, kind, journey_key, head_version) VALUES ('${B}', '${ID}', 'p', 'openapi', 'k', 1)`,
  journey_document_versions: `(organization_id, document_id, version, blob_hash, changeset_id, origin, error_count, warning_count, created_by_key_id) VALUES ('${B}', '${ID}', 1, '${HASH}', '${ID}', 'api', 0, 0, '${ID}')`,
  journey_document_links: `(organization_id, document_id, version, name, role, target) VALUES ('${B}', '${ID}', 1, 'n', 'source', 't')`,
  source_bindings: `(organization_id, document_id, service_id, how) VALUES ('${B}', '${ID}', '${ID}', 'manual')`,
  journey_changeset_requests: `(organization_id, created_by, idempotency_key, request_hash, response) VALUES ('${B}', '${ID}', 'k', '${HASH}', '{}')`,
  environments: `(organization_id, id, name, servers, variables, inputs, allowed_hosts, is_protected, stores_bodies, created_by_key_id) VALUES ('${B}', '${ID}', 'e', '{}', '{}', '{}', '{}', false, true, '${ID}')`,
  data_keys: `(organization_id, id, wrapped_key, nonce, kek_id) VALUES ('${B}', '${ID}', '\\x${"ab".repeat(48)}', '${NONCE}', 'k1')`,
  environment_secrets: `(organization_id, environment_id, name, ciphertext, nonce, data_key_id, hosts, version, updated_by_key_id) VALUES ('${B}', '${ID}', 'TOKEN', '${HASH}', '${NONCE}', '${ID}', '{example.com}', 1, '${ID}')`,
  journey_releases: `(organization_id, environment_id, document_id, version, artifact_hash, program_id, needs, built_from, released_by_key_id) VALUES ('${B}', '${ID}', '${ID}', 1, '${HASH}', 'p', '{}', '{}', '${ID}')`,
  journey_builds: `(organization_id, build_key, document_id, document_version, environment_id, environment_revision, inputs, compiler_version, problems) VALUES ('${B}', '${HASH}', '${ID}', 1, '${ID}', 1, '[]', '1', '[]')`,
  build_operations: `(organization_id, artifact_hash, ordinal, source, method, path, path_key) VALUES ('${B}', '${HASH}', 0, 's', 'GET', '/', '/')`,
  build_criteria: `(organization_id, artifact_hash, owner_document_id, criterion_id, severity, description, proven_by) VALUES ('${B}', '${HASH}', '${ID}', 'c', 'must', 'd', '{}')`,
  journey_runs: `(organization_id, id, document_id, document_version, environment_id, environment_revision, artifact_hash, program_id, origin, trigger, status, inputs, seed, strict_contract, created_by_key_id) VALUES ('${B}', '${ID}', '${ID}', 1, '${ID}', 1, '${HASH}', 'p', 'cloud', 'api', 'queued', '{}', 's', false, '${ID}')`,
  journey_run_tickets: `(organization_id, run_id, expires_at) VALUES ('${B}', '${ID}', now())`,
  journey_run_steps: `(organization_id, run_id, seq, attempt, step_id, phase, status, ms, result) VALUES ('${B}', '${ID}', 0, 1, 's', 'main', 'passed', 1, '{}')`,
  journey_run_operations: `(organization_id, run_id, ordinal, source, method, path, calls, statuses, asserted) VALUES ('${B}', '${ID}', 0, 's', 'GET', '/', 0, '{}', false)`,
  journey_run_criteria: `(organization_id, run_id, owner_document_id, criterion_id, status) VALUES ('${B}', '${ID}', '${ID}', 'c', 'proven')`,
  journey_operations: `(organization_id, document_id, ordinal, source, source_document_id, method, path, path_key) VALUES ('${B}', '${ID}', 0, 's', '${ID}', 'GET', '/', '/')`,
  journey_criteria: `(organization_id, document_id, owner_document_id, criterion_id, severity, description, proven_by) VALUES ('${B}', '${ID}', '${ID}', 'c', 'must', 'd', '{}')`,
  journey_criterion_verdicts: `(organization_id, owner_document_id, criterion_id, document_id, environment_id, origin, document_version, artifact_hash, status, run_id, ended_at) VALUES ('${B}', '${ID}', 'c', '${ID}', '${ID}', 'cloud', 1, '${HASH}', 'proven', '${ID}', now())`,
  journey_operation_calls: `(organization_id, source_document_id, method, path_key, document_id, environment_id, origin, document_version, artifact_hash, path, calls, statuses, called_at, run_id) VALUES ('${B}', '${ID}', 'GET', '/', '${ID}', '${ID}', 'cloud', 1, '${HASH}', '/', 1, '{200}', now(), '${ID}')`,
  journey_schedules: `(organization_id, id, name, document_id, environment_id, cron, time_zone, overlap, catch_up, jitter_seconds, next_due_at, next_at, created_by_key_id, updated_by_key_id) VALUES ('${B}', '${ID}', 's', '${ID}', '${ID}', '0 0 * * *', 'UTC', 'skip', 'none', 0, now(), now(), '${ID}', '${ID}')`,
  journey_schedule_ticks: `(organization_id, schedule_id, due_at, outcome, reason, decided_at) VALUES ('${B}', '${ID}', now(), 'missed', 'r', now())`,
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
  // In one transaction: a document and its first version refer to each other.
  await owner.query("BEGIN");
  for (const [table, row] of Object.entries(ROWS_OF_B)) await owner.query(`INSERT INTO ${table} ${row}`);
  await owner.query("COMMIT");
});
afterAll(async () => {
  await Promise.all([owner.end(), service.end()]);
  await database[Symbol.asyncDispose]();
});

/** Runs one statement as the services' role in an organization's transaction, and rolls it back. */
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
  it("covers every tenant table: a new one needs a row here", () => {
    expect(Object.keys(ROWS_OF_B).toSorted()).toEqual(tenantTables);
  });

  it("every tenant table has row-level security and the organization first in its primary key", async () => {
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

  it("the services' login owns nothing, bypasses nothing and can take no other role", async () => {
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

  it.each(Object.keys(ROWS_OF_B))(
    "no row can be inserted into %s for another organization",
    async (table) => {
      const row = ROWS_OF_B[table] ?? "";
      await expect(as(A, `INSERT INTO ${table} ${row}`)).rejects.toThrow(
        /^(blobs|chunk|description|scan_run_descriptions|snapshot|indexed_snapshots|service_(rules|changes|derivations|days|break_days)|(daily|stale)_totals|daily_breaks|sign_in_domains|stale_break_days|break_derivations|seen_items)/.test(
          table,
        )
          ? /permission denied/
          : /row-level security/,
      );
    },
  );

  it("no function stores, locks or collects content of another organization", async () => {
    for (const call of [
      `store_chunks('${B}', ARRAY[ROW('${OTHER}', 0, 'GET', '/', NULL, '{}', NULL)::chunk_endpoint_row], '{}')`,
      `store_snapshot('${B}', '${OTHER}', ARRAY['${ID}'::uuid], '{}', 1, 0)`,
      `lock_snapshot('${B}', '${ID}')`,
      `lock_missing_chunks('${B}', '${ID}', ARRAY['${ID}'::uuid], '{}')`,
      `collect_snapshots('${B}', 10)`,
      `collect_chunks('${B}', 10)`,
      `lock_description_chunks('${B}', ARRAY['${OTHER}'::uuid])`,
      `store_description_chunks('${B}', '{}', '{}', '{}')`,
      `store_description('${B}', '${DESCRIPTION}', '{}', NULL)`,
      `link_description('${B}', '${ID}', '${OTHER_HASH}', '${ID}')`,
      `collect_descriptions('${B}', 10)`,
      `collect_description_chunks('${B}', 10)`,
      `index_service_rules('${B}', '${B}', 10)`,
      `record_service_changes('${B}', '${B}', 10)`,
      `index_endpoint_words('${B}', '${B}', 10)`,
      `record_service_days('${B}', '${B}', 10)`,
      `record_daily_totals('${B}')`,
      `record_service_breaks('${B}', '${B}', 10)`,
      `mark_breaks_stale('${B}', '${ID}')`,
      `delete_old_scan_runs('${B}', 1, 1, 10)`,
      `store_blobs('${B}', ARRAY['${OTHER_HASH}'::bytea], ARRAY[1], ARRAY['b'::bytea])`,
      `collect_blobs('${B}', ARRAY['${OTHER_HASH}'::bytea])`,
    ]) {
      await expect(as(A, `SELECT ${call}`)).rejects.toThrow(/another organization/);
      await expect(as(null, `SELECT ${call}`)).rejects.toThrow(/another organization/);
      await as(B, `SELECT ${call}`);
    }
  });

  it("nothing of another organization can be changed or deleted", async () => {
    expect((await as(A, "UPDATE scan_runs SET promote = false")).rowCount).toBe(0);
    expect((await as(A, "DELETE FROM scan_payloads")).rowCount).toBe(0);
    expect((await as(A, "UPDATE api_keys SET revoked_at = now()")).rowCount).toBe(0);
    expect((await as(A, "DELETE FROM sessions")).rowCount).toBe(0);
    expect((await as(B, "DELETE FROM scan_payloads")).rowCount).toBe(1);
    expect((await as(B, "DELETE FROM sessions")).rowCount).toBe(1);
  });

  it("lets nobody change or delete stored content, an audit event, a data key, a user's address, or a key's owner, scopes or secret, nor extend a session", async () => {
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
      "UPDATE principals SET email = 'other@example.com'",
      "UPDATE principals SET kind = 'service_account'",
      "DELETE FROM principals",
      "UPDATE invitations SET roles = '[]'",
      "UPDATE role_grants SET role = 'administrator'",
      "UPDATE identity_providers SET issuer = 'https://other'",
      "UPDATE principal_identities SET principal_id = principal_id",
      "UPDATE sign_in_domains SET domain = 'other.example'",
      "DELETE FROM sign_in_domains",
      "UPDATE sessions SET authenticated_at = now()",
      "UPDATE api_keys SET owner_principal_id = NULL",
      "SELECT FROM checked_api_keys",
      "UPDATE data_keys SET wrapped_key = wrapped_key",
      "DELETE FROM data_keys",
      "UPDATE blobs SET bytes = 'c'",
      "DELETE FROM blobs",
      "UPDATE descriptions SET format = 'json'",
      "DELETE FROM description_chunks",
      "DELETE FROM scan_run_descriptions",
      "UPDATE journey_document_versions SET message = 'c'",
      "DELETE FROM journey_document_versions",
      "DELETE FROM journey_document_links",
      "UPDATE journey_documents SET path = 'q'",
      "DELETE FROM journey_documents",
      "UPDATE journey_schedule_ticks SET outcome = 'skipped'",
    ]) {
      await expect(as(B, text)).rejects.toThrow(/permission denied/);
    }
  });

  it("the organization is unset when the transaction ends", async () => {
    await as(B, "SELECT 1");
    expect((await service.query("SELECT FROM services")).rowCount).toBe(0);
  });
});
