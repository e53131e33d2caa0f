import { createHash, randomUUID } from "node:crypto";
import { zstdCompressSync } from "node:zlib";
import { createPgPool, type PgPool } from "@waymark/server/db/pool.ts";
import type { ReadScan, ScanToAccept, SentChunks } from "@waymark/server/scans/accept/queries.ts";
import { decompressChunks, unpackChunks } from "@waymark/server/scans/content/packed-chunks.ts";
import { claimRuns, persistScanRuns } from "@waymark/server/scans/persist/queries.ts";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { chunkedContent } from "./chunked-payload.ts";
import { scanPayload } from "../scan-payload.ts";
import { serviceUrl } from "../service-url.ts";
import { query } from "../sql.ts";
import { createTestDatabase } from "../test-database.ts";

/** A database in which api's and worker's functions accept and persist scans. */
export interface ScanDatabase extends AsyncDisposable {
  /** The owner's. */
  databaseUrl: string;
  /** With the services' login. */
  pool: PgPool;
  createOrganization(): Promise<string>;
  /** Completes every run that waits. */
  persist(): Promise<void>;
  /** The stored data of an organization, with times of this test as `recent` and without ids of services. */
  stateOf(organizationId: string): Promise<Record<string, StoredRow[]>>;
}

type StoredRow = Record<string, unknown>;

const NOTHING_SENT: SentChunks = { chunks: new Set(), items: Buffer.alloc(0), itemsBytes: 0 };

export const bodyHashOf = (name: string | number): Buffer =>
  createHash("sha256").update(`body ${name}`).digest();

let runs = 0;

/** A scan whose body has not been read: accepted if the body is known. Ids are increasing. */
export function unreadScan(
  organizationId: string,
  body: string | number,
  more: Partial<ScanToAccept> = {},
): ScanToAccept {
  return {
    organizationId,
    scanRunId: `00000000-0000-7000-8000-${String(++runs).padStart(12, "0")}`,
    createdByKeyId: "cccccccc-cccc-4ccc-8ccc-cccccccccccc",
    bodyHash: bodyHashOf(body),
    idempotencyKey: null,
    promote: true,
    scannedAt: null,
    source: null,
    traceParent: undefined,
    grant: { mayCreate: true, mayUpdate: true, serviceId: null },
    scan: null,
    sent: NOTHING_SENT,
    counted: null,
    ...more,
  };
}

export interface ContentOptions {
  service?: string;
  /** Chooses the generated content: one seed with the same counts always makes the same content. */
  seed?: string;
  endpoints?: number;
  findings?: number;
  /** Replaces the generated content. */
  items?: Pick<ScanIngestionPayload, "endpoints" | "findings">;
  spec?: Partial<ReadScan["description"]["spec"]>;
  /** Which of its chunks are sent with it. Default: all. */
  sent?: "all" | "none" | ReadonlySet<string>;
}

/** A scan with content. */
export function readScan(
  organizationId: string,
  body: string | number,
  {
    service = "a service",
    seed = String(body),
    endpoints = 12,
    findings = 3,
    items,
    spec = {},
    sent = "all",
  }: ContentOptions = {},
  more: Partial<ScanToAccept> = {},
): ScanToAccept {
  const payload = { ...scanPayload({ seed, endpoints, findings }), ...items };
  const content = chunkedContent(payload);
  const scan: ReadScan = {
    description: { service: { name: service }, spec: { ...payload.spec, ...spec } },
    newServiceId: randomUUID(),
    content,
  };
  const all = new Set([...content.endpointChunks, ...content.findingChunks]);
  const chunks = sent === "all" ? all : sent === "none" ? new Set<string>() : sent;
  const packed = content.pack(chunks);
  const sentChunks = { chunks, items: zstdCompressSync(packed), itemsBytes: packed.byteLength };
  return unreadScan(organizationId, body, {
    scan,
    sent: chunks.size === 0 ? NOTHING_SENT : sentChunks,
    ...more,
  });
}

export async function startScanDatabase(): Promise<ScanDatabase> {
  const database = await createTestDatabase();
  const pool = createPgPool(serviceUrl(database.databaseUrl), {
    max: 10,
    applicationName: "test",
    onError: () => undefined,
  });
  return {
    databaseUrl: database.databaseUrl,
    pool,
    async createOrganization() {
      const id = randomUUID();
      await query(database, "INSERT INTO organizations (id, name) VALUES ($1, 'test')", [id]);
      return id;
    },
    persist: () => persistAll(pool),
    stateOf: (organizationId) => readState(database, organizationId),
    async [Symbol.asyncDispose]() {
      await pool.end();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function persistAll(pool: PgPool): Promise<void> {
  const options = { runsMax: 50, bytesMax: 2 ** 21, leaseMs: 60_000 };
  for (let afterOrganizationId = "00000000-0000-0000-0000-000000000000"; ;) {
    const claimed = await claimRuns(pool, { ...options, afterOrganizationId });
    const [first] = claimed;
    if (first === undefined) return;
    afterOrganizationId = first.organizationId;
    const unpacked = claimed.map((run) => ({ ...run, ...unpackChunks(decompressChunks(run.items)) }));
    await persistScanRuns(pool, { ...first, runs: unpacked });
  }
}

async function readState(database: { databaseUrl: string }, organizationId: string) {
  const read = (text: string) => query<StoredRow>(database, text, [organizationId]);
  const time = (column: string) =>
    `CASE WHEN ${column} > now() - interval '1 day' THEN 'recent' ELSE ${column}::text END AS ${column}`;
  return {
    services: await read(
      `SELECT name, current_run_id, ${time("current_ordered_at")} FROM services
       WHERE organization_id = $1 ORDER BY name`,
    ),
    runs: await read(
      `SELECT r.id, s.name AS service, r.status, r.spec_hash, r.spec_format, r.spec_version, r.spec_title,
              r.endpoint_count, r.finding_count, r.snapshot_id, r.unchanged, r.promote, r.body_hash, ${time("ordered_at")},
              ${time("completed_at")}, r.created_at > now() - interval '1 day' AS is_recent
       FROM scan_runs r JOIN services s ON s.organization_id = $1 AND s.id = r.service_id
       WHERE r.organization_id = $1 ORDER BY r.id`,
    ),
    seen: await read(
      `SELECT s.name AS service, n.snapshot_id, ${time("first_seen_at")}, ${time("last_seen_at")}
       FROM service_snapshots n JOIN services s ON s.organization_id = $1 AND s.id = n.service_id
       WHERE n.organization_id = $1 ORDER BY s.name, n.snapshot_id`,
    ),
    payloads: await read(
      `SELECT scan_run_id, snapshot_id, endpoint_chunks, finding_chunks, items, items_bytes, trace_parent,
              attempts, available_at IS NOT NULL AS is_due
       FROM scan_payloads WHERE organization_id = $1 ORDER BY scan_run_id`,
    ),
    keys: await read(
      `SELECT key, body_hash, scan_run_id FROM idempotency_keys WHERE organization_id = $1 ORDER BY key`,
    ),
    chunks: await read(
      `SELECT id, endpoint_count, finding_count FROM chunks WHERE organization_id = $1 ORDER BY id`,
    ),
  };
}
