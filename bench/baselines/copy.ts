// One run's rows by binary COPY into the same tables, in one transaction, as the tables' owner.
import { Pool } from "pg";
import { serveCalls } from "../support/calls.ts";
import { type InsertionOrder, timeInsertions } from "../support/time-insertions.ts";
import { insertCopy } from "./insert-copy.ts";

const pool = new Pool({ connectionString: process.env["DATABASE_URL"], max: 1 });

serveCalls({
  ready: () => 0,
  insert: (order: InsertionOrder) =>
    timeInsertions(order, async (snapshotId, scan) => {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        await insertCopy(client, { organizationId: order.organizationId, snapshotId }, scan);
        await client.query("COMMIT");
      } finally {
        client.release();
      }
    }),
});
