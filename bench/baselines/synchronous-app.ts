// What a team would otherwise ship: everything is validated and stored within the request. The servers built from it
// differ only in how they insert the rows.
import type { AddressInfo } from "node:net";
import { checkApiKey } from "@waymark/shared/api-keys/check-key.ts";
import fastify, { type FastifyRequest } from "fastify";
import { Pool, type PoolClient } from "pg";
import { z } from "zod";
import { serveCalls } from "../support/calls.ts";
import { inflateBody } from "./inflate-body.ts";
import { createTables } from "./tables.ts";

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
export type Scan = z.infer<typeof Scan>;

/** What the rows belong to. */
export interface Target {
  organizationId: string;
  runId: string;
}

export type InsertRows = (client: PoolClient, target: Target, scan: Scan) => Promise<void>;

/** Serves the product's ingest with the product's keys, as the tables' owner: row-level security costs it nothing. */
export async function serveSynchronously(insertRows: InsertRows): Promise<void> {
  // Connections outlast the others' turns, as the product's do.
  const pool = new Pool({ connectionString: process.env["DATABASE_URL"], max: 10, idleTimeoutMillis: 0 });
  await createTables(pool);
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
    await store(pool, run, scan, insertRows);
    return reply.code(201).send({
      scanRunId: run.runId,
      status: "completed",
      endpointCount: scan.endpoints.length,
      findingCount: scan.findings.length,
    });
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  serveCalls({ ready: () => (app.server.address() as AddressInfo).port });
}

interface Run extends Target {
  apiKeyId: string;
}

async function store(pool: Pool, run: Run, scan: Scan, insertRows: InsertRows): Promise<void> {
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

// Run and service in one round trip.
const STORE_RUN_SQL = `
  WITH service AS (
    INSERT INTO baseline.services AS s (organization_id, id, name, current_run_id, current_ordered_at)
    VALUES ($1, $2, $3, $4, now())
    ON CONFLICT (organization_id, name) DO UPDATE
      SET current_run_id = excluded.current_run_id, current_ordered_at = excluded.current_ordered_at
    RETURNING id
  )
  INSERT INTO baseline.scan_runs (organization_id, id, service_id, spec_hash, spec_format, spec_version, spec_title,
                                  endpoint_count, finding_count, findings_by_severity, created_at, created_by_key_id)
  SELECT $1, $4, service.id, $5, $6, $7, $8, $9, $10, $11, now(), $12 FROM service`;

function countBySeverity(scan: Scan): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { severity } of scan.findings) counts[severity] = (counts[severity] ?? 0) + 1;
  return counts;
}
