import type { InsertRows } from "./synchronous-app.ts";

/** All rows as one JSON parameter that Postgres expands: one round trip. */
export const insertJson: InsertRows = async (client, { organizationId, runId }, scan) => {
  await client.query({
    name: "insert_json",
    text: INSERT_SQL,
    values: [organizationId, runId, JSON.stringify(scan.endpoints), JSON.stringify(scan.findings)],
  });
};

const INSERT_SQL = `
  WITH endpoints AS (
    INSERT INTO baseline.run_endpoints
      (organization_id, run_id, ordinal, method, path, operation_id, tags, summary)
    SELECT $1, $2, e.ordinal - 1, e.method, e.path, e."operationId", e.tags, e.summary
    FROM ROWS FROM (jsonb_to_recordset($3::jsonb)
        AS (method text, path text, "operationId" text, tags text[], summary text))
      WITH ORDINALITY AS e (method, path, "operationId", tags, summary, ordinal)
  )
  INSERT INTO baseline.run_findings
    (organization_id, run_id, ordinal, code, severity, message, method, path)
  SELECT $1, $2, f.ordinal - 1, f.code, f.severity, f.message, f.method, f.path
  FROM ROWS FROM (jsonb_to_recordset($4::jsonb)
      AS (code text, severity text, message text, method text, path text))
    WITH ORDINALITY AS f (code, severity, message, method, path, ordinal)`;
