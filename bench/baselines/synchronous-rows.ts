// The synchronous server with the rows as arrays of rows, as the product's worker sends them.
import {
  packRows,
  rowArray,
  type RowTypes,
  unpackRows,
} from "@waymark/shared/scans/persist/snapshot-rows.ts";
import type { PoolClient } from "pg";
import { type InsertRows, serveSynchronously } from "./synchronous-app.ts";

let types: RowTypes | undefined;

const insertRows: InsertRows = async (client, { organizationId, snapshotId }, scan) => {
  types ??= await findTypes(client);
  const { endpoints, findings } = unpackRows(packRows(scan, { id: snapshotId }));
  await client.query({
    name: "insert_rows",
    text: INSERT_SQL,
    values: [organizationId, rowArray(types.endpoint, [endpoints]), rowArray(types.finding, [findings])],
  });
};

async function findTypes(client: PoolClient): Promise<RowTypes> {
  const { rows } = await client.query<RowTypes>(
    "SELECT 'snapshot_endpoint_row'::regtype::oid AS endpoint, 'snapshot_finding_row'::regtype::oid AS finding",
  );
  if (rows[0] === undefined) throw new Error("the row types are missing");
  return rows[0];
}

const INSERT_SQL = `
  WITH endpoints AS (
    INSERT INTO snapshot_endpoints
      (organization_id, snapshot_id, ordinal, method, path, operation_id, tags, summary)
    SELECT $1, e.* FROM unnest($2::snapshot_endpoint_row[]) e
  )
  INSERT INTO snapshot_findings (organization_id, snapshot_id, ordinal, code, severity, message, method, path)
  SELECT $1, f.* FROM unnest($3::snapshot_finding_row[]) f`;

await serveSynchronously(insertRows);
