// The synchronous server in its plain form: one multi-row INSERT for each table.
import { serveSynchronously, type InsertRows } from "./synchronous-app.ts";

const insertMultiRow: InsertRows = async (client, { organizationId, runId }, scan) => {
  const endpoints = scan.endpoints.map((e, n) => [n, e.method, e.path, e.operationId, e.tags, e.summary]);
  const findings = scan.findings.map((f, n) => [n, f.code, f.severity, f.message, f.method, f.path]);
  await insert(
    `baseline.run_endpoints (organization_id, run_id, ordinal, method, path, operation_id, tags, summary)`,
    endpoints,
  );
  await insert(
    "baseline.run_findings (organization_id, run_id, ordinal, code, severity, message, method, path)",
    findings,
  );

  async function insert(into: string, rows: unknown[][]): Promise<void> {
    if (rows.length === 0) return;
    let parameters = 2;
    const tuples = rows.map((row) => `($1, $2, ${row.map(() => `$${++parameters}`).join(", ")})`);
    const text = `INSERT INTO ${into} VALUES ${tuples.join(", ")}`;
    await client.query(text, [organizationId, runId, ...rows.flatMap((row) => row)]);
  }
};

await serveSynchronously(insertMultiRow);
