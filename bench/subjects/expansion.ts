// The product's expansion alone: the rows of one run in one transaction, from the validated scan to the commit. The
// content's hash is part of it.
import { createHotPool } from "@waymark/shared/db/pool.ts";
import {
  packRows,
  readSnapshot,
  rowArray,
  type RowTypes,
} from "@waymark/shared/scans/persist/snapshot-rows.ts";
import { serveCalls } from "../support/calls.ts";
import { type InsertionOrder, timeInsertions } from "../support/time-insertions.ts";

const pool = createHotPool(process.env["DATABASE_URL"] ?? "", {
  max: 1,
  applicationName: "bench-expansion",
  onError: (error) => {
    throw error;
  },
});
const { rows } = await pool.query<RowTypes>(
  "SELECT 'snapshot_endpoint_row'::regtype::oid AS endpoint, 'snapshot_finding_row'::regtype::oid AS finding",
);
const types = rows[0] ?? { endpoint: 0, finding: 0 };

serveCalls({
  ready: () => 0,
  insert: (order: InsertionOrder) =>
    timeInsertions(order, async (_snapshotId, scan) => {
      const { id, endpoints, findings } = readSnapshot(packRows(scan));
      await pool.query({
        name: "insert_snapshots",
        // The organization is set and used in one statement, as the product does it.
        text: `SELECT insert_snapshots(set_config('waymark.organization_id', $1, true)::uuid, $2,
                                       $3::snapshot_endpoint_row[], $4::snapshot_finding_row[])`,
        values: [
          order.organizationId,
          [id],
          rowArray(types.endpoint, [endpoints]),
          rowArray(types.finding, [findings]),
        ],
      });
    }),
});
