import { once } from "node:events";
import { from as copyFrom } from "pg-copy-streams";
import { BinaryRows } from "./binary-rows.ts";
import type { InsertRows } from "./synchronous-app.ts";

/** Binary COPY into both tables, through `pg-copy-streams`. Each table is written out: a loop over columns would cost time. */
export const insertCopy: InsertRows = async (client, { organizationId, runId }, scan) => {
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
};

function uuidBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll("-", ""), "hex");
}

async function copy(client: Parameters<InsertRows>[0], sql: string, rows: Buffer): Promise<void> {
  const stream = client.query(copyFrom(sql));
  const finished = once(stream, "finish");
  stream.end(rows);
  await finished;
}

const COPY_ENDPOINTS_SQL = `
  COPY baseline.run_endpoints (organization_id, run_id, ordinal, method, path, operation_id, tags, summary)
  FROM STDIN (FORMAT binary)`;
const COPY_FINDINGS_SQL = `
  COPY baseline.run_findings (organization_id, run_id, ordinal, code, severity, message, method, path)
  FROM STDIN (FORMAT binary)`;
