import { randomUUID } from "node:crypto";
import { encodeEndpointRows, encodeFindingRows } from "@waymark/server/scans/content/encode-rows.ts";
import { unpackChunks } from "@waymark/server/scans/content/packed-chunks.ts";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { createDatabasePool, type DatabasePool } from "@waymark/server/db/pool.ts";
import { Client } from "pg";
import { chunkedContent } from "./chunked-payload.ts";
import { serviceUrl } from "../service-url.ts";
import { createTestDatabase, type TestDatabase } from "../test-database.ts";

/** Stores scans as a worker does, in one transaction each, without an api or a worker. */
export interface ScanStore {
  organizationId: string;
  serviceId: string;
  /** @returns the id of a completed run with this content, which is its service's current one */
  store(content: Pick<ScanIngestionPayload, "endpoints" | "findings">, at?: Date): Promise<string>;
}

/** A database of its own with a store, its owner's connection, and a pool with one connection of the services. */
export interface ScanDatabase extends AsyncDisposable {
  database: TestDatabase;
  client: Client;
  pool: DatabasePool;
  scans: ScanStore;
}

export async function createScanDatabase(): Promise<ScanDatabase> {
  const database = await createTestDatabase();
  const client = new Client({ connectionString: database.databaseUrl });
  await client.connect();
  const pool = await createDatabasePool(serviceUrl(database.databaseUrl), {
    max: 1,
    applicationName: "test",
  });
  return {
    database,
    client,
    pool,
    scans: await createScanStore(client),
    async [Symbol.asyncDispose]() {
      await pool.end();
      await client.end();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** @param client a connection of the database's owner */
export async function createScanStore(client: Client): Promise<ScanStore> {
  const organizationId = randomUUID();
  const serviceId = randomUUID();
  await client.query("INSERT INTO organizations (id, name) VALUES ($1, 'test')", [organizationId]);
  await client.query("INSERT INTO services (organization_id, id, name) VALUES ($1, $2, 'test')", [
    organizationId,
    serviceId,
  ]);
  return {
    organizationId,
    serviceId,
    async store(content, at = new Date()) {
      const scanRunId = randomUUID();
      await client.query("BEGIN");
      await client.query("SELECT set_config('waymark.organization_id', $1, true)", [organizationId]);
      const snapshotId = await storeContent(client, organizationId, content);
      await client.query(
        `INSERT INTO scan_runs (organization_id, id, service_id, status, spec_hash, spec_format, endpoint_count, finding_count,
                                snapshot_id, promote, ordered_at, created_at, completed_at, created_by_key_id, contract_version)
         VALUES ($1, $2, $3, 'completed', 'hash', 'openapi', $4, $5, $6, true, $7, $7, $7, $2, 1)`,
        [
          organizationId,
          scanRunId,
          serviceId,
          content.endpoints.length,
          content.findings.length,
          snapshotId,
          at,
        ],
      );
      await client.query("SELECT apply_snapshot($1, $2, $3, $4, $5, true)", [
        organizationId,
        serviceId,
        scanRunId,
        snapshotId,
        at,
      ]);
      await client.query("COMMIT");
      return scanRunId;
    },
  };
}

async function storeContent(
  client: Client,
  organizationId: string,
  content: Pick<ScanIngestionPayload, "endpoints" | "findings">,
): Promise<string> {
  const scan = chunkedContent(content);
  const { endpoints, findings } = unpackChunks(
    scan.pack(new Set([...scan.endpointChunks, ...scan.findingChunks])),
  );
  const { rows } = await client.query<{ endpoint: number; finding: number }>(
    "SELECT 'chunk_endpoint_row'::regtype::oid AS endpoint, 'chunk_finding_row'::regtype::oid AS finding",
  );
  const types = rows[0] ?? { endpoint: 0, finding: 0 };
  await client.query("SELECT store_chunks($1, $2::chunk_endpoint_row[], $3::chunk_finding_row[])", [
    organizationId,
    encodeEndpointRows(types.endpoint, endpoints),
    encodeFindingRows(types.finding, findings),
  ]);
  await client.query("SELECT store_snapshot($1, $2, $3, $4, $5, $6)", [
    organizationId,
    scan.snapshotId,
    scan.endpointChunks,
    scan.findingChunks,
    scan.endpointCount,
    scan.findingCount,
  ]);
  return scan.snapshotId;
}
