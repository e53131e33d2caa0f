import { createHash, randomUUID } from "node:crypto";
import { createHotPool, type HotPool } from "@waymark/shared/db/pool.ts";
import type { KnownScanRun } from "@waymark/shared/scans/accept/queries.ts";
import { CONTRACT_VERSION } from "@waymark/shared/scans/contract-version.ts";
import { Client } from "pg";
import { serviceUrl } from "./service-url.ts";
import { query } from "./sql.ts";
import { createTestDatabase } from "./test-database.ts";

/** Bodies with a receipt; those from here on are unknown. */
const BODIES = 8;
const SERVICES = 4;
/** Bodies 0 and 4 have one service and two contents, and so on; bodies 8 and more are nobody's. */
const CONTENTS = 6;

interface OpenTransaction {
  /** Commits it. */
  end(): Promise<void>;
}

/** A database in which services have bodies that are known, and which others can get in the way of. */
export interface AcceptWorld extends AsyncDisposable {
  /** As the services have it. */
  pool: HotPool;
  createOrganization(options?: { isEmpty?: boolean }): Promise<string>;
  serviceId(body: number): string;
  knownRun(
    organizationId: string,
    body: number,
    options?: { promote?: boolean; scannedAt?: Date | null },
  ): KnownScanRun;
  /** Locks the service of this body. */
  holdService(organizationId: string, body: number): Promise<OpenTransaction>;
  /** Takes the content of this body away. */
  deleteContent(organizationId: string, body: number): Promise<OpenTransaction>;
  makeService(organizationId: string, name: string): Promise<OpenTransaction>;
  /** What is stored for an organization, with times of this test as `recent` and ids of new services left out. */
  stateOf(organizationId: string): Promise<Record<"runs" | "services" | "seen" | "payloads", StoredRow[]>>;
}

type StoredRow = Record<string, unknown>;

export function bodyHashOf(body: number): Buffer {
  return createHash("sha256").update(`body ${body}`).digest();
}

const contentIdOf = (body: number) =>
  createHash("sha256")
    .update(`content ${body % CONTENTS}`)
    .digest();
const serviceId = (body: number) => `5e5e5e5e-0000-4000-8000-00000000000${body % SERVICES}`;

let runs = 0;
/** Each is greater than the one before, as the api's are. */
const nextRunId = () => `00000000-0000-7000-8000-${String(++runs).padStart(12, "0")}`;

export async function startAcceptWorld(): Promise<AcceptWorld> {
  const database = await createTestDatabase();
  const pool = createHotPool(serviceUrl(database.databaseUrl), {
    max: 10,
    applicationName: "test",
    onError: () => undefined,
  });
  const open = (statements: string[], values: unknown[]) =>
    openTransaction(database.databaseUrl, statements, values);

  return {
    pool,
    serviceId,
    async createOrganization({ isEmpty = false } = {}) {
      const id = randomUUID();
      await query(database, "INSERT INTO organizations (id, name) VALUES ($1, 'test')", [id]);
      if (!isEmpty) await createReceipts(database, id);
      return id;
    },
    knownRun: (organizationId, body, { promote = true, scannedAt = null } = {}) => ({
      organizationId,
      scanRunId: nextRunId(),
      bodyHash: bodyHashOf(body),
      promote,
      scannedAt,
      createdByKeyId: organizationId,
      counted: null,
    }),
    holdService: (organizationId, body) =>
      open(
        ["SELECT FROM services WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE"],
        [organizationId, serviceId(body)],
      ),
    deleteContent: (organizationId, body) =>
      open(
        [
          "DELETE FROM scan_receipts WHERE organization_id = $1 AND snapshot_id = $2",
          "DELETE FROM snapshots WHERE organization_id = $1 AND id = $2",
        ],
        [organizationId, contentIdOf(body)],
      ),
    makeService: (organizationId, name) =>
      open(
        ["INSERT INTO services (organization_id, id, name) VALUES ($1, gen_random_uuid(), $2)"],
        [organizationId, name],
      ),
    stateOf: (organizationId) => readState(database, organizationId),
    async [Symbol.asyncDispose]() {
      await pool.end();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function createReceipts(database: { databaseUrl: string }, organizationId: string): Promise<void> {
  for (let n = 0; n < SERVICES; n++) {
    await query(database, "INSERT INTO services (organization_id, id, name) VALUES ($1, $2, $3)", [
      organizationId,
      serviceId(n),
      `service ${n}`,
    ]);
  }
  for (let n = 0; n < CONTENTS; n++) {
    await query(
      database,
      `INSERT INTO snapshots (organization_id, id, endpoint_count, finding_count, findings_by_severity)
       VALUES ($1, $2, $3, 1, '{}')`,
      [organizationId, contentIdOf(n), n],
    );
  }
  for (let n = 0; n < BODIES; n++) {
    await query(
      database,
      `INSERT INTO scan_receipts (organization_id, contract_version, body_hash, service_id, spec_hash, spec_format,
                                  spec_version, spec_title, endpoint_count, finding_count, snapshot_id)
       VALUES ($1, $2, $3, $4, 'hash', 'openapi', $5, $6, $7, 1, $8)`,
      [
        organizationId,
        CONTRACT_VERSION,
        bodyHashOf(n),
        serviceId(n),
        n % 2 === 0 ? null : `version ${n}`,
        `title ${n}`,
        n % CONTENTS,
        contentIdOf(n),
      ],
    );
  }
}

async function openTransaction(
  databaseUrl: string,
  statements: readonly string[],
  values: unknown[],
): Promise<OpenTransaction> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("BEGIN");
  for (const statement of statements) await client.query(statement, values);
  return {
    async end() {
      await client.query("COMMIT");
      await client.end();
    },
  };
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
              r.endpoint_count, r.finding_count, r.snapshot_id, r.unchanged, r.promote, ${time("ordered_at")},
              ${time("completed_at")}, r.created_at > now() - interval '1 day' AS is_recent
       FROM scan_runs r JOIN services s ON s.organization_id = $1 AND s.id = r.service_id
       WHERE r.organization_id = $1 ORDER BY r.id`,
    ),
    seen: await read(
      `SELECT service_id, snapshot_id, ${time("first_seen_at")}, ${time("last_seen_at")} FROM service_snapshots
       WHERE organization_id = $1 ORDER BY service_id, snapshot_id`,
    ),
    payloads: await read(
      `SELECT scan_run_id, body, body_encoding, body_hash, body_bytes, contract_version, trace_parent,
              attempts, available_at IS NOT NULL AS is_due
       FROM scan_payloads WHERE organization_id = $1 ORDER BY scan_run_id`,
    ),
  };
}
