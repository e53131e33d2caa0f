import { afterEach, beforeEach, expect, it } from "vitest";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { createScanDatabase, type ScanDatabase } from "@waymark/test-support/scans/stored-scans.ts";
import { withOrganization } from "../../db/organization.ts";
import type { TimePosition } from "../../lib/cursor.ts";
import { type ChangedRunPage, listChangedRuns } from "./queries.ts";

/** More runs than a page looks at. */
const REPETITIONS = 700;

let opened: ScanDatabase;
beforeEach(async () => {
  opened = await createScanDatabase();
});
afterEach(() => opened[Symbol.asyncDispose]());

/** Runs with the content of another one, a minute apart after it. */
async function repeat(scanRunId: string): Promise<void> {
  await opened.client.query(
    `INSERT INTO scan_runs (organization_id, id, service_id, status, spec_hash, spec_format, endpoint_count, finding_count,
                            snapshot_id, promote, ordered_at, created_at, completed_at, created_by_key_id, contract_version)
     SELECT organization_id, gen_random_uuid(), service_id, status, spec_hash, spec_format, endpoint_count, finding_count,
            snapshot_id, promote, ordered_at + n * interval '1 minute', created_at + n * interval '1 minute', completed_at, created_by_key_id, 1
     FROM scan_runs, generate_series(1, ${REPETITIONS}) n
     WHERE id = $1`,
    [scanRunId],
  );
}

function readPage(after: TimePosition | null): Promise<ChangedRunPage> {
  const { organizationId, serviceId } = opened.scans;
  return withOrganization(opened.pool, organizationId, (tx) =>
    listChangedRuns(tx, { organizationId, serviceId, limit: 1, after }),
  );
}

it("changes are found behind any number of runs without one, and each page looks at a part of them", async () => {
  const first = await opened.scans.store(scanPayload({ endpoints: 2 }), new Date(Date.UTC(2026, 0, 1)));
  await repeat(first);
  const second = await opened.scans.store(scanPayload({ endpoints: 3 }), new Date(Date.UTC(2026, 0, 2)));
  await repeat(second);
  const found: { id: string; isFirst: boolean }[] = [];
  let after: TimePosition | null = null;
  let pages = 0;
  do {
    const page: ChangedRunPage = await readPage(after);
    found.push(...page.runs.map(({ id, against }) => ({ id, isFirst: against === null })));
    after = page.nextAfter;
    pages++;
  } while (after !== null);
  expect(found).toEqual([
    { id: second, isFirst: false },
    { id: first, isFirst: true },
  ]);
  // 500 repetitions; the others and the second; 500 repetitions of the first; the others and the first.
  expect(pages).toBe(4);
});
