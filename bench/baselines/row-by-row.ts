// The synchronous server with one INSERT for each item.
import { serveSynchronously } from "./synchronous-app.ts";

await serveSynchronously(async (client, { organizationId, runId }, scan) => {
  for (const [ordinal, e] of scan.endpoints.entries()) {
    await client.query({
      name: "insert_endpoint",
      text: `INSERT INTO baseline.run_endpoints
               (organization_id, run_id, ordinal, method, path, operation_id, tags, summary)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      values: [organizationId, runId, ordinal, e.method, e.path, e.operationId, e.tags, e.summary],
    });
  }
  for (const [ordinal, f] of scan.findings.entries()) {
    await client.query({
      name: "insert_finding",
      text: `INSERT INTO baseline.run_findings
               (organization_id, run_id, ordinal, code, severity, message, method, path)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      values: [organizationId, runId, ordinal, f.code, f.severity, f.message, f.method, f.path],
    });
  }
});
