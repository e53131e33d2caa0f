// The product's expansion alone: the rows of one run in one transaction, from the validated scan to the commit.
import { withOrganizationClient } from "@waymark/shared/db/organization.ts";
import { createHotPool } from "@waymark/shared/db/pool.ts";
import { asServiceRole } from "@waymark/shared/db/service-role.ts";
import { insertSnapshots } from "@waymark/shared/scans/persist/queries.ts";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { serveCalls } from "../support/calls.ts";
import { type InsertionOrder, timeInsertions } from "../support/time-insertions.ts";

const pool = createHotPool(await asServiceRole(process.env["DATABASE_URL"] ?? ""), {
  max: 1,
  applicationName: "bench-expansion",
  onError: (error) => {
    throw error;
  },
});

serveCalls({
  ready: () => 0,
  insert: (order: InsertionOrder) =>
    timeInsertions(order, async (snapshotId, scan: ScanIngestionPayload) => {
      const content = { id: snapshotId.toString("hex"), endpoints: scan.endpoints, findings: scan.findings };
      await withOrganizationClient(pool, order.organizationId, (client) =>
        insertSnapshots(client, order.organizationId, [content]),
      );
    }),
});
