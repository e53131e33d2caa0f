// The baseline is the server that a team would otherwise ship: it validates and stores everything within the request,
// by binary COPY, with a row for each item of each run. It checks the product's keys, and stores as the tables' owner:
// row-level security costs it nothing.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { checkApiKey } from "@waymark/server/api-keys/check-key.ts";
import fastify, { type FastifyRequest } from "fastify";
import { Pool, type PoolClient } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { z } from "zod";
import { serveCalls } from "../support/calls.ts";
import { BinaryRows } from "./binary-rows.ts";
import { inflateBody } from "./inflate-body.ts";

const method = z.enum(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"]);
const Scan = z.strictObject({
  service: z.strictObject({ name: z.string().min(1).max(120) }),
  spec: z.strictObject({
    hash: z.string().length(64),
    format: z.literal("openapi"),
    version: z.string().max(80).optional(),
    title: z.string().max(200).optional(),
  }),
  endpoints: z
    .array(
      z.strictObject({
        method,
        path: z.string().max(1000),
        operationId: z.string().max(200).nullable(),
        tags: z.array(z.string()).max(20),
        summary: z.string().max(300).nullable(),
      }),
    )
    .max(2000),
  findings: z
    .array(
      z.strictObject({
        code: z.string().max(120),
        severity: z.enum(["info", "low", "medium", "high", "critical"]),
        message: z.string().max(500),
        method: method.nullable(),
        path: z.string().max(1000).nullable(),
      }),
    )
    .max(500),
});
type Scan = z.infer<typeof Scan>;

interface Run {
  organizationId: string;
  apiKeyId: string;
  runId: string;
}

// Tables of its own, so that they stay the same when the product's change.
const TABLES_SQL = `
  CREATE SCHEMA IF NOT EXISTS baseline;
  CREATE TABLE IF NOT EXISTS baseline.services (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    current_run_id uuid,
    current_ordered_at timestamptz,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, name)
  );
  CREATE TABLE IF NOT EXISTS baseline.scan_runs (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    spec_hash text NOT NULL,
    spec_format text NOT NULL,
    spec_version text,
    spec_title text,
    endpoint_count integer NOT NULL,
    finding_count integer NOT NULL,
    findings_by_severity jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    created_by_key_id uuid NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, service_id) REFERENCES baseline.services (organization_id, id)
  );
  CREATE INDEX IF NOT EXISTS scan_runs_by_service
    ON baseline.scan_runs (organization_id, service_id, created_at, id);
  CREATE TABLE IF NOT EXISTS baseline.run_endpoints (
    organization_id uuid NOT NULL,
    run_id uuid NOT NULL,
    ordinal integer NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    operation_id text,
    tags text[] NOT NULL,
    summary text,
    PRIMARY KEY (organization_id, run_id, ordinal)
  );
  CREATE TABLE IF NOT EXISTS baseline.run_findings (
    organization_id uuid NOT NULL,
    run_id uuid NOT NULL,
    ordinal integer NOT NULL,
    code text NOT NULL,
    severity text NOT NULL,
    message text NOT NULL,
    method text,
    path text,
    PRIMARY KEY (organization_id, run_id, ordinal)
  )`;

// Run and service in one round trip.
const STORE_RUN_SQL = `
  WITH service AS (
    INSERT INTO baseline.services AS s (organization_id, id, name, current_run_id, current_ordered_at)
    VALUES ($1, $2, $3, $4, now())
    ON CONFLICT (organization_id, name) WHERE name IS NOT NULL DO UPDATE
      SET current_run_id = excluded.current_run_id, current_ordered_at = excluded.current_ordered_at
    RETURNING id
  )
  INSERT INTO baseline.scan_runs (organization_id, id, service_id, spec_hash, spec_format, spec_version, spec_title,
                                  endpoint_count, finding_count, findings_by_severity, created_at, created_by_key_id)
  SELECT $1, $4, service.id, $5, $6, $7, $8, $9, $10, $11, now(), $12 FROM service`;

const COPY_ENDPOINTS_SQL = `
  COPY baseline.run_endpoints (organization_id, run_id, ordinal, method, path, operation_id, tags, summary)
  FROM STDIN (FORMAT binary)`;
const COPY_FINDINGS_SQL = `
  COPY baseline.run_findings (organization_id, run_id, ordinal, code, severity, message, method, path)
  FROM STDIN (FORMAT binary)`;

// Connections outlast the others' turns, as the product's do.
const pool = new Pool({ connectionString: process.env["DATABASE_URL"], max: 10, idleTimeoutMillis: 0 });
await pool.query(TABLES_SQL);
const app = fastify({ bodyLimit: 10 * 1024 * 1024 });
app.removeContentTypeParser("application/json");
app.addContentTypeParser(
  "application/json",
  { parseAs: "buffer" },
  async (request: FastifyRequest, body: Buffer) => {
    const json = await inflateBody(body, request.headers["content-encoding"]);
    return JSON.parse(json.toString("utf8")) as unknown;
  },
);
app.post("/api/scans/ingest", async (request, reply) => {
  const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
  const checked = await checkApiKey(pool, key, request.ip);
  if (!checked.ok) return reply.code(401).send();
  const { organizationId, apiKeyId } = checked.actor;
  const scan = Scan.parse(request.body);
  const run = { organizationId, apiKeyId, runId: crypto.randomUUID() };
  await store(run, scan);
  return reply.code(201).send({
    scanRunId: run.runId,
    status: "completed",
    endpointCount: scan.endpoints.length,
    findingCount: scan.findings.length,
  });
});
await app.listen({ host: "127.0.0.1", port: 0 });
serveCalls({ ready: () => (app.server.address() as AddressInfo).port });

async function store(run: Run, scan: Scan): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    // The rows first: the service's row is locked for the last statement only.
    await insertRows(client, run, scan);
    await client.query({
      name: "store_run",
      text: STORE_RUN_SQL,
      values: [
        run.organizationId,
        crypto.randomUUID(),
        scan.service.name,
        run.runId,
        scan.spec.hash,
        scan.spec.format,
        scan.spec.version,
        scan.spec.title,
        scan.endpoints.length,
        scan.findings.length,
        JSON.stringify(countBySeverity(scan)),
        run.apiKeyId,
      ],
    });
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

/** Each table is written out: a loop over columns would cost time. */
async function insertRows(client: PoolClient, { organizationId, runId }: Run, scan: Scan): Promise<void> {
  const [organization, run] = [uuidBytes(organizationId), uuidBytes(runId)];
  const endpoints = new BinaryRows(scan.endpoints.length * 300 + 100);
  for (const [ordinal, endpoint] of scan.endpoints.entries()) {
    endpoints.row(8);
    endpoints.bytes(organization);
    endpoints.bytes(run);
    endpoints.integer(ordinal);
    endpoints.text(endpoint.method);
    endpoints.text(endpoint.path);
    endpoints.text(endpoint.operationId);
    endpoints.textArray(endpoint.tags);
    endpoints.text(endpoint.summary);
  }
  await copy(client, COPY_ENDPOINTS_SQL, endpoints.end());

  const findings = new BinaryRows(scan.findings.length * 300 + 100);
  for (const [ordinal, finding] of scan.findings.entries()) {
    findings.row(8);
    findings.bytes(organization);
    findings.bytes(run);
    findings.integer(ordinal);
    findings.text(finding.code);
    findings.text(finding.severity);
    findings.text(finding.message);
    findings.text(finding.method);
    findings.text(finding.path);
  }
  await copy(client, COPY_FINDINGS_SQL, findings.end());
}

function uuidBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll("-", ""), "hex");
}

async function copy(client: PoolClient, sql: string, rows: Buffer): Promise<void> {
  const stream = client.query(copyFrom(sql));
  const finished = once(stream, "finish");
  stream.end(rows);
  await finished;
}

function countBySeverity(scan: Scan): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { severity } of scan.findings) counts[severity] = (counts[severity] ?? 0) + 1;
  return counts;
}
