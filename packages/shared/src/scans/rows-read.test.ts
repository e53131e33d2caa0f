import { createHash, randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { scanPayload } from "../../../../test/support/scan-payload.ts";
import { serviceUrl } from "../../../../test/support/service-url.ts";
import { query } from "../../../../test/support/sql.ts";
import { createTestDatabase, type TestDatabase } from "../../../../test/support/test-database.ts";
import { findApiKeyByPrefix, findApiKeysByPrefix } from "../api-keys/queries.ts";
import { analyzeGrownTables } from "../db/analyze.ts";
import { createHotPool, type HotPool } from "../db/pool.ts";
import {
  acceptKnownScanRun,
  acceptScanRun,
  findScanReceipt,
  findScanService,
  type KnownScanRun,
} from "./accept/queries.ts";
import { acceptKnownScanRuns, acceptNewScanRuns, type FindingScanRun } from "./accept/together/queries.ts";
import { CONTRACT_VERSION } from "./contract-version.ts";
import { decodePayload, encodePayload } from "./payload-encoding.ts";
import { claimRuns, persistScanRuns } from "./persist/queries.ts";
import { packRows, readSnapshot } from "./persist/snapshot-rows.ts";

const ORGANIZATION = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
const SMALL = 60;
const GROWN = 2_000;
/** Postgres keeps the plan of a statement when it has made it as often. */
const TIMES_UNTIL_KEPT = 8;

let database: TestDatabase;
/** Of one connection, which has all the plans. */
let pool: HotPool;
beforeEach(async () => {
  database = await createTestDatabase();
  pool = createHotPool(serviceUrl(database.databaseUrl), {
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

/** Row n of each table that grows, from one number up to another. */
async function grow(from: number, to: number, organizationId = ORGANIZATION): Promise<void> {
  const rows = [
    `api_keys (organization_id, id, name, prefix, secret_hash, scopes)
     SELECT $1::uuid, md5('key' || n)::uuid, 'key ' || n, 'wmk_' || left($1::text, 8) || n, sha256('secret'), '[]'`,
    "services (organization_id, id, name) SELECT $1, md5('service' || n)::uuid, 'service ' || n",
    `snapshots (organization_id, id, endpoint_count, finding_count, findings_by_severity)
     SELECT $1, sha256(('content' || n)::bytea), 1, 1, '{}'`,
    `scan_receipts (organization_id, contract_version, body_hash, service_id, spec_hash, spec_format, endpoint_count,
                    finding_count, snapshot_id)
     SELECT $1, ${CONTRACT_VERSION}, sha256(('body' || n)::bytea), md5('service' || n)::uuid, 'hash', 'openapi', 1, 1,
            sha256(('content' || n)::bytea)`,
    `scan_runs (organization_id, id, service_id, status, spec_hash, spec_format, endpoint_count, finding_count,
                promote, ordered_at, created_at, created_by_key_id, error_code, error_message)
     SELECT $1, md5('run' || n)::uuid, md5('service' || n)::uuid, 'failed', 'hash', 'openapi', 1, 1,
            true, now(), now(), md5('key' || n)::uuid, 'payload_unusable', 'damaged'`,
    // Given up: the payloads of failed runs stay.
    `scan_payloads (organization_id, scan_run_id, body, body_encoding, body_hash, body_bytes, available_at)
     SELECT $1, md5('run' || n)::uuid, 'body', 'identity', sha256(('failed' || n)::bytea), 4, NULL`,
  ];
  for (const each of rows) {
    await query(database, `INSERT INTO ${each} FROM generate_series($2::int, $3::int - 1) n`, [
      organizationId,
      from,
      to,
    ]);
  }
}

const knownRun = (n: number): KnownScanRun => ({
  organizationId: ORGANIZATION,
  scanRunId: randomUUID(),
  bodyHash: createHash("sha256").update(`body${n}`).digest(),
  promote: true,
  scannedAt: null,
  createdByKeyId: ORGANIZATION,
  counted: null,
});

let contents = 0;
async function newRun(n: number): Promise<FindingScanRun> {
  const content = scanPayload({ endpoints: 1, findings: 1, seed: `new ${contents++}` });
  const bodyHash = createHash("sha256").update(`new ${contents}`).digest();
  const packed = packRows(content, { bodyHash });
  return {
    ...knownRun(0),
    ...(await encodePayload(packed)),
    bodyHash,
    service: "find",
    newServiceId: randomUUID(),
    serviceName: `service ${n}`,
    spec: content.spec,
    endpointCount: 1,
    findingCount: 1,
    bodyBytes: packed.byteLength,
    idempotencyKey: null,
    traceParent: undefined,
  };
}

/** Every statement of the hot paths once. */
async function workOnce(): Promise<void> {
  await findApiKeyByPrefix(pool, "wmk_aaaaaaaa1");
  await findApiKeysByPrefix(pool, ["wmk_aaaaaaaa2", "wmk_aaaaaaaa3"]);
  const bodyHash = knownRun(1).bodyHash;
  await findScanReceipt(pool, { organizationId: ORGANIZATION, bodyHash, idempotencyKey: null });
  await findScanService(pool, { organizationId: ORGANIZATION, serviceName: "service 1" });
  expect(await acceptKnownScanRun(pool, knownRun(4))).not.toBeNull();
  expect(await acceptKnownScanRuns(pool, [5, 6, 7].map(knownRun))).not.toContain(null);
  await acceptScanRun(pool, await newRun(8));
  await acceptNewScanRuns(pool, await Promise.all([9, 10, 11].map(newRun)));
  const claimed = await claimRuns(pool, {
    afterOrganizationId: "00000000-0000-0000-0000-000000000000",
    runsMax: 50,
    bytesMax: 1_000_000,
    leaseMs: 60_000,
  });
  const runs = await Promise.all(
    claimed.map(async (run) => ({ ...run, snapshot: readSnapshot(await decodePayload(run)) })),
  );
  const rowTypes = claimed[0]?.rowTypes ?? { endpoint: 0, finding: 0 };
  const { completed } = await persistScanRuns(pool, { organizationId: ORGANIZATION, rowTypes, runs });
  expect(completed).toBe(4);
}

async function rowsRead(): Promise<{ inSequence: number; byIndex: number }> {
  await pool.query("SELECT pg_stat_force_next_flush()");
  const [row] = await query<{ inSequence: number; byIndex: number }>(
    database,
    `SELECT (SELECT sum(seq_tup_read)::int FROM pg_stat_user_tables) AS "inSequence",
            (SELECT sum(idx_tup_read)::int FROM pg_stat_user_indexes) AS "byIndex"`,
  );
  return row ?? { inSequence: Number.NaN, byIndex: Number.NaN };
}

/** What the plans are made for, before the organization grows. */
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
    await analyzeGrownTables(pool);

    const before = await rowsRead();
    await workOnce();
    const after = await rowsRead();
    expect(after.inSequence - before.inSequence).toBe(0);
    // Some twenty for each of the eight runs, dead versions included, where all rows of one table would be two thousand.
    expect(after.byIndex - before.byIndex).toBeLessThan(GROWN / 4);
  },
);
