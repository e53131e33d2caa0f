import { createHash, randomUUID } from "node:crypto";
import { zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import { countRowsRead } from "@waymark/test-support/rows-read.ts";
import { chunkedContent } from "@waymark/test-support/scans/chunked-payload.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { findApiKeyByPrefix, findApiKeysByPrefix } from "../api-keys/queries.ts";
import { createPgPool, type PgPool } from "../db/pool.ts";
import { acceptScan, acceptScans, type ScanToAccept } from "./accept/queries.ts";
import { decompressChunks, unpackChunks } from "./content/packed-chunks.ts";
import { CONTRACT_VERSION } from "./contract-version.ts";
import { claimRuns, persistScanRuns } from "./persist/queries.ts";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";

const ORGANIZATION = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
const SMALL = 60;
const GROWN = 2_000;
/** After this many executions, Postgres keeps the plan of a statement. */
const TIMES_UNTIL_KEPT = 8;

let database: TestDatabase;
/** For one connection, which has all the plans. */
let pool: PgPool;
beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPgPool(serviceUrl(database.databaseUrl), {
    max: 1,
    applicationName: "test",
    onError: () => undefined,
  });
});
afterEach(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});

async function createOrganization(id: string): Promise<void> {
  await query(database, "INSERT INTO organizations (id, name) VALUES ($1, 'test')", [id]);
}

/** Rows of each growing table, from one number to another. */
async function grow(from: number, to: number, organizationId = ORGANIZATION): Promise<void> {
  const rows = [
    `api_keys (organization_id, id, name, prefix, secret_hash, scopes)
     SELECT $1::uuid, md5('key' || n)::uuid, 'key ' || n, 'wmk_' || left($1::text, 8) || n, sha256('secret'), '[]'`,
    `services (organization_id, id, name, current_run_id, current_snapshot_id, current_ordered_at)
     SELECT $1, md5('service' || n)::uuid, 'service ' || n, md5('run' || n)::uuid, md5('content' || n)::uuid, now() - interval '1 day'`,
    `chunks (organization_id, id, endpoint_count, info_count, low_count, medium_count, high_count, critical_count)
     SELECT $1, md5('chunk' || n)::uuid, 1, 0, 1, 0, 0, 0`,
    `chunk_endpoints (organization_id, chunk_id, ordinal, method, path, tags)
     SELECT $1, md5('chunk' || n)::uuid, 0, 'GET', '/', '{}'`,
    `chunk_findings (organization_id, chunk_id, ordinal, code, severity, message)
     SELECT $1, md5('chunk' || n)::uuid, 0, 'code', 'low', 'message'`,
    `snapshots (organization_id, id, endpoint_chunks, finding_chunks, endpoint_count, finding_count, findings_by_severity)
     SELECT $1, md5('content' || n)::uuid, ARRAY[md5('chunk' || n)::uuid], ARRAY[md5('chunk' || n)::uuid], 1, 1, '{}'`,
    `scan_runs (organization_id, id, service_id, status, spec_hash, spec_format, endpoint_count, finding_count, snapshot_id,
                promote, ordered_at, created_at, completed_at, created_by_key_id, body_hash, contract_version)
     SELECT $1, md5('run' || n)::uuid, md5('service' || n)::uuid, 'completed', 'hash', 'openapi', 1, 1,
            md5('content' || n)::uuid, true, now(), now(), now(), md5('key' || n)::uuid, sha256(('body' || n)::bytea),
            ${CONTRACT_VERSION}`,
    `service_snapshots (organization_id, service_id, snapshot_id, first_seen_at, last_seen_at)
     SELECT $1, md5('service' || n)::uuid, md5('content' || n)::uuid, now(), now()`,
    `idempotency_keys (organization_id, key, body_hash, scan_run_id)
     SELECT $1, 'key ' || n, sha256(('body' || n)::bytea), md5('run' || n)::uuid`,
    // Failed runs, whose payloads stay.
    `scan_payloads (organization_id, scan_run_id, snapshot_id, endpoint_chunks, finding_chunks, items, items_bytes,
                    available_at)
     SELECT $1, md5('run' || n)::uuid, md5('content' || n)::uuid, '{}', '{}', 'items', 5, NULL`,
  ];
  for (const each of rows) {
    await query(database, `INSERT INTO ${each} FROM generate_series($2::int, $3::int - 1) n`, [
      organizationId,
      from,
      to,
    ]);
  }
}

const md5 = (text: string) => createHash("md5").update(text).digest("hex");
const sha256 = (text: string) => createHash("sha256").update(text).digest();

/** The body of run n of `grow`, sent again. */
const knownScan = (n: number): ScanToAccept => ({
  organizationId: ORGANIZATION,
  scanRunId: randomUUID(),
  createdByKeyId: ORGANIZATION,
  bodyHash: sha256(`body${n}`),
  idempotencyKey: randomUUID(),
  promote: true,
  scannedAt: null,
  source: null,
  traceParent: undefined,
  grant: { mayCreate: false, mayUpdate: false, serviceId: md5(`service${n}`) },
  scan: null,
  sent: { chunks: new Set(), items: Buffer.alloc(0), itemsBytes: 0 },
  counted: null,
});

let bodies = 0;
type Content = Pick<ScanIngestionPayload, "endpoints" | "findings">;
const newContent = () => scanPayload({ endpoints: 12, findings: 6, seed: `new ${bodies++}` });

/** A scan of service n with a body that was never sent. */
function newScan(n: number, content: Content = newContent()): ScanToAccept {
  return {
    ...knownScan(n),
    bodyHash: sha256(`new ${bodies++}`),
    scan: {
      description: { service: { name: `service ${n}` }, spec: { hash: "hash", format: "openapi" } },
      newServiceId: randomUUID(),
      content: chunkedContent(content),
    },
  };
}

/** Creates a new scan that was sent with all of its items. */
function withItems(n: number, content: Content = newContent()): ScanToAccept {
  const { endpointChunks, findingChunks, pack } = chunkedContent(content);
  const chunks = new Set([...endpointChunks, ...findingChunks]);
  const packed = pack(chunks);
  const sent = { chunks, items: zstdCompressSync(packed), itemsBytes: packed.byteLength };
  return { ...newScan(n, content), sent };
}

const outcomeOf = async (run: ScanToAccept) => (await acceptScan(pool, run)).outcome;
const outcomesOf = async (runs: readonly ScanToAccept[]) =>
  (await acceptScans(pool, runs, { mayWait: false })).map(({ outcome }) => outcome);

/** Every statement of the hot paths once. */
async function workOnce(): Promise<void> {
  await findApiKeyByPrefix(pool, "wmk_aaaaaaaa1");
  await findApiKeysByPrefix(pool, ["wmk_aaaaaaaa2", "wmk_aaaaaaaa3"]);
  expect(await outcomeOf({ ...knownScan(3), bodyHash: sha256("unknown") })).toBe("content_needed");
  expect(await outcomeOf(knownScan(4))).toBe("completed");
  expect(await outcomeOf({ ...knownScan(4), idempotencyKey: "key 4" })).toBe("replayed");
  expect(await outcomesOf([5, 6, 7].map(knownScan))).toEqual(["completed", "completed", "completed"]);

  const content = newContent();
  expect(await outcomeOf(newScan(8, content))).toBe("chunks_needed");
  expect(await outcomeOf(withItems(8, content))).toBe("accepted");
  const others = [9, 10, 11].map((n) => withItems(n));
  expect(await outcomesOf(others)).toEqual(["accepted", "accepted", "accepted"]);
  expect(await persist()).toBe(4);
  // All of its chunks are stored now, but not this list of them.
  expect(await outcomeOf(newScan(8, { ...content, findings: [] }))).toBe("completed");
}

async function persist(): Promise<number> {
  const claimed = await claimRuns(pool, {
    afterOrganizationId: "00000000-0000-0000-0000-000000000000",
    runsMax: 50,
    bytesMax: 1_000_000,
    leaseMs: 60_000,
  });
  const runs = claimed.map((run) => ({ ...run, ...unpackChunks(decompressChunks(run.items)) }));
  const rowTypes = claimed[0]?.rowTypes ?? { endpoint: 0, finding: 0 };
  const { completed } = await persistScanRuns(pool, { organizationId: ORGANIZATION, rowTypes, runs });
  return completed;
}

/** The data for which the plans are made, before the organization grows. */
const BEGINNINGS = {
  "a small organization": async () => {
    await createOrganization(ORGANIZATION);
    await grow(0, SMALL);
    await query(database, "ANALYZE");
  },
  "a database that was never analyzed": async () => {
    await createOrganization(ORGANIZATION);
    await grow(0, SMALL);
  },
  "many organizations of a few rows each": async () => {
    for (let n = 0; n < SMALL; n++) {
      const organizationId = randomUUID();
      await createOrganization(organizationId);
      await grow(0, 2, organizationId);
    }
    await createOrganization(ORGANIZATION);
    await grow(0, SMALL);
    await query(database, "ANALYZE");
  },
};

it.each(Object.entries(BEGINNINGS))(
  "accepting and persisting read rows by key, with plans made for %s",
  async (_plans, begin) => {
    await begin();
    for (let n = 0; n < TIMES_UNTIL_KEPT; n++) await workOnce();
    await grow(SMALL, GROWN);

    const { inSequence, byIndex } = await countRowsRead(database, {
      flush: () => pool.query("SELECT pg_stat_force_next_flush()"),
      work: workOnce,
    });
    expect(inSequence).toEqual({});
    // About twenty rows of each table for eleven scans, and some hundred dead versions on a busy machine. A whole table has two thousand.
    expect(Object.entries(byIndex).filter(([, rows]) => rows > GROWN / 4)).toEqual([]);
  },
);
