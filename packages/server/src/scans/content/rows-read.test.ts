import { sql } from "slonik";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { countRowsRead } from "@waymark/test-support/rows-read.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { createScanDatabase, type ScanDatabase } from "@waymark/test-support/scans/stored-scans.ts";
import { withOrganization } from "../../db/organization.ts";
import type { DatabaseTransactionConnection } from "../../db/pool.ts";
import { compareRuns } from "../compare-runs.ts";
import type { TimePosition } from "../../lib/cursor.ts";
import { listServiceEndpoints } from "../inventory.queries.ts";
import { findPreviousScanRun, listRecentRuns, listScanRunsOfService } from "../queries.ts";
import { listChangedRuns } from "../timeline/queries.ts";
import { CHUNK_ITEMS_MAX } from "./cut-chunks.ts";
import { listEndpoints, listFindings } from "./queries.ts";

/** The number of other rows in each table. */
const OTHER_ROWS = 5_000;
const RUNS = 12;

let opened: ScanDatabase;
let scanRunIds: string[];
beforeEach(async () => {
  opened = await createScanDatabase();
});
afterEach(() => opened[Symbol.asyncDispose]());

/** One service, with another changed endpoint each time. */
async function storeScans(): Promise<void> {
  const { endpoints, findings } = scanPayload({ endpoints: 1000, findings: 200 });
  scanRunIds = [];
  for (let run = 0; run < RUNS; run++) {
    const [other] = scanPayload({ endpoints: 1, seed: `run ${run}` }).endpoints;
    if (other !== undefined) endpoints[run * 50] = other;
    scanRunIds.push(await opened.scans.store({ endpoints, findings }, new Date(Date.UTC(2026, 0, run + 1))));
  }
  await opened.client.query("UPDATE scan_runs SET source = $1 WHERE id = $2", [
    JSON.stringify({ branch: "main", commit: null, url: null }),
    scanRunIds[0],
  ]);
}

/** The content of other services in the same organization. */
async function growTables(): Promise<void> {
  const tables = [
    `chunks (organization_id, id, endpoint_count, info_count, low_count, medium_count, high_count, critical_count)
     SELECT $1, md5(n::text)::uuid, 1, 0, 1, 0, 0, 0`,
    `chunk_endpoints (organization_id, chunk_id, ordinal, method, path, tags)
     SELECT $1, md5(n::text)::uuid, 0, 'GET', '/', '{}'`,
    `chunk_findings (organization_id, chunk_id, ordinal, code, severity, message)
     SELECT $1, md5(n::text)::uuid, 0, 'code', 'low', 'message'`,
    `snapshots (organization_id, id, endpoint_chunks, finding_chunks, endpoint_count, finding_count, findings_by_severity)
     SELECT $1, md5(n::text)::uuid, ARRAY[md5(n::text)::uuid], ARRAY[md5(n::text)::uuid], 1, 1, '{}'`,
    "services (organization_id, id, name) SELECT $1, md5(n::text)::uuid, n",
    `scan_runs (organization_id, id, service_id, status, spec_hash, spec_format, endpoint_count, finding_count, snapshot_id,
                promote, ordered_at, created_at, completed_at, created_by_key_id, contract_version)
     SELECT $1, md5(n::text)::uuid, md5(n::text)::uuid, 'completed', 'hash', 'openapi', 1, 1, md5(n::text)::uuid,
            true, now(), now(), now(), $1, 1`,
    `service_snapshots (organization_id, service_id, snapshot_id, first_seen_at, last_seen_at)
     SELECT $1, md5(n::text)::uuid, md5(n::text)::uuid, now(), now()`,
  ];
  for (const rows of tables) {
    await opened.client.query(`INSERT INTO ${rows} FROM generate_series(1, ${OTHER_ROWS}) n`, [
      opened.scans.organizationId,
    ]);
  }
}

const analyze = () => opened.client.query("ANALYZE");

/** How the tables are filled, and when Postgres analyzes them. */
const STATISTICS = {
  "are up to date": [storeScans, growTables, analyze],
  "are missing": [storeScans, growTables],
  "are from before the tables grew": [storeScans, analyze, growTables],
};

type Read = readonly [
  name: string,
  rowsMax: number,
  work: (tx: DatabaseTransactionConnection) => Promise<unknown>,
];

function readsOfContent(): Read[] {
  const { organizationId } = opened.scans;
  const [scanRunId = "", olderId = ""] = scanRunIds.toReversed();
  const page = { organizationId, scanRunId, limit: 50, after: { chunk: 10, ordinal: 2 } };
  return [
    // The 13 chunks that can contain 51 items, and the one in which the page begins.
    ["endpoints", 14 * 9, (tx) => listEndpoints(tx, page)],
    ["findings", 14 * 9, (tx) => listFindings(tx, page)],
    // The chunks with the endpoint that differs.
    [
      "changes",
      4 * CHUNK_ITEMS_MAX,
      (tx) => compareRuns(tx, { organizationId, beforeId: olderId, afterId: scanRunId }),
    ],
  ];
}

function readsOfService(): Read[] {
  const { organizationId, serviceId } = opened.scans;
  const scanRunId = scanRunIds.at(-1) ?? "";
  const page = { organizationId, serviceId, limit: 50 };
  const after: TimePosition = [new Date().toISOString(), scanRunId];
  return [
    // Each chunk once, regardless of the number of contents with it, and those of the current content for their order.
    [
      "inventory",
      2_500,
      (tx) => listServiceEndpoints(tx, { ...page, after: { path: "/m", method: "GET", occurrence: 1 } }),
    ],
    ["runs", 10 * RUNS, (tx) => listScanRunsOfService(tx, { ...page, branch: null, after })],
    [
      "runs of a branch",
      // One of the service's runs is of it, and the page begins after another.
      RUNS / 2,
      (tx) => listScanRunsOfService(tx, { ...page, branch: "main", after }),
    ],
    ["previous run", 10 * RUNS, (tx) => findPreviousScanRun(tx, { organizationId, scanRunId })],
    ["changes of a service", 10 * RUNS, (tx) => listChangedRuns(tx, { ...page, after: null })],
    ["trend", 10 * RUNS, (tx) => listRecentRuns(tx, { ...page, serviceIds: [serviceId] })],
  ];
}

async function findExpensive(reads: readonly Read[]): Promise<Record<string, unknown>> {
  const tooMany: Record<string, unknown> = {};
  for (const [name, rowsMax, work] of reads) {
    const { inSequence, byIndex } = await countRowsRead(opened.database, {
      flush: () => opened.pool.query(sql.type(z.unknown())`SELECT pg_stat_force_next_flush()`),
      work: () => withOrganization(opened.pool, opened.scans.organizationId, work),
    });
    const rows = Object.values(byIndex).reduce((sum, each) => sum + each, 0);
    if (rows > rowsMax || Object.keys(inSequence).length > 0) tooMany[name] = { inSequence, byIndex };
  }
  return tooMany;
}

it.each(Object.entries(STATISTICS))(
  "a page of content, and what two runs differ in, are read by key where statistics %s",
  async (_which, steps) => {
    for (const step of steps) await step();
    expect(await findExpensive(readsOfContent())).toEqual({});
  },
);

// Old statistics give these bad plans until the next autovacuum, a minute at most.
it.each(Object.entries(STATISTICS).slice(0, 2))(
  "a service's endpoints and runs are read by key where statistics %s",
  async (_which, steps) => {
    for (const step of steps) await step();
    expect(await findExpensive(readsOfService())).toEqual({});
  },
);
