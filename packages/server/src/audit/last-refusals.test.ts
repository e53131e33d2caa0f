import { sql } from "slonik";
import { expect, it } from "vitest";
import { z } from "zod";
import { countRowsRead } from "@waymark/test-support/rows-read.ts";
import { createScanDatabase, type ScanDatabase } from "@waymark/test-support/scans/stored-scans.ts";
import { withOrganization } from "../db/organization.ts";
import { listLastRefusals } from "./queries.ts";

const OTHER_EVENTS = 5_000;
const REFUSALS = 3;

/** Events of now, each of another key. */
async function addEvents(
  { client, scans }: ScanDatabase,
  count: number,
  { action, route = null, code = null }: { action: string; route?: string | null; code?: string | null },
): Promise<void> {
  const now = Date.now().toString(16).padStart(12, "0");
  await client.query(
    `INSERT INTO audit_events (organization_id, id, action, api_key_id, route, code)
     SELECT $1, ($2 || '7000' || left(md5($3 || n), 16))::uuid, $3, md5($3 || n)::uuid, $4, $5
     FROM generate_series(1, $6::int) n`,
    [scans.organizationId, now, action, route, code, count],
  );
}

it("the last refusals are read by their own index, and no other event with them", async () => {
  await using opened = await createScanDatabase();
  const refused = {
    action: "api_key.use_denied",
    route: "GET /api/services",
    code: "permission_denied",
  };
  await addEvents(opened, OTHER_EVENTS, { action: "api_key.created" });
  await addEvents(opened, REFUSALS, refused);
  const { organizationId } = opened.scans;
  const since = new Date(Date.now() - 24 * 3600 * 1000);
  const list = () =>
    withOrganization(opened.pool, organizationId, (tx) =>
      listLastRefusals(tx, { organizationId, since, limit: 10 }),
    );
  expect((await list()).count).toBe(REFUSALS);
  const rows = await countRowsRead(opened.database, {
    flush: () => opened.pool.query(sql.type(z.unknown())`SELECT pg_stat_force_next_flush()`),
    work: list,
  });
  expect(rows.inSequence).not.toHaveProperty("audit_events");
  const ofEvents = Object.entries(rows.byIndex).filter(([name]) => name.startsWith("audit_events"));
  expect(Object.fromEntries(ofEvents)).toEqual({ audit_events_denied: REFUSALS });
});
