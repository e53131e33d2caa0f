import { snapshotId } from "@waymark/shared/scans/persist/snapshot-rows.ts";
import type { NormalizedEndpoint, NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { query } from "../../support/sql.ts";
import type { SentScan } from "./scan-stream.ts";

interface Database {
  databaseUrl: string;
}

interface StoredRun {
  id: string;
  organization_id: string;
  service_name: string;
  status: string;
  endpoint_count: number;
  finding_count: number;
  snapshot_id: string | null;
  /** Counted row by row, now. */
  endpoint_rows: number;
  finding_rows: number;
  ordered_at: Date;
  is_current: boolean;
}

export interface Reckoning {
  accepted: number;
  stored: number;
  completed: number;
  failed: number;
  /** A 201 whose run is not there. */
  acceptedAndLost: number;
  /** Runs beyond one of a scan that was sent with an Idempotency-Key, and rows that no snapshot counts. */
  duplicates: number;
  notFinal: number;
  /** Completed runs whose stored rows are not the rows that were sent: counted again, and hashed again. */
  falseCompleted: number;
  /** Services whose current run is not their newest completed one. */
  wrongCurrent: number;
  /** Snapshots whose rows were read back and hashed: all of them, or a sample of many. */
  contentsHashed: number;
}

/** Holds what is stored against what was sent, as the database's owner: nothing of Waymark is asked. */
export async function reckon(database: Database, sent: readonly SentScan[]): Promise<Reckoning> {
  const runs = await query<StoredRun>(database, RUNS_SQL);
  const byId = new Map(runs.map((run) => [run.id, run]));
  const bySentTime = Map.groupBy(runs, (run) => run.ordered_at.toISOString());
  const accepted = sent.filter((scan) => scan.scanRunId !== null);
  const hashes = await hashSnapshots(database);
  const sentTimes = new Map(sent.map((scan) => [scan.scannedAt, scan]));

  const isFalse = (run: StoredRun) => {
    const scan = sentTimes.get(run.ordered_at.toISOString());
    const hash = hashes.get(`${run.organization_id} ${run.snapshot_id}`);
    return !(
      scan !== undefined &&
      run.snapshot_id === scan.snapshotId &&
      (hash === undefined || hash === scan.snapshotId) &&
      scan.organizationId === run.organization_id &&
      scan.serviceName === run.service_name &&
      [run.endpoint_count, run.endpoint_rows].every((count) => count === scan.endpointCount) &&
      [run.finding_count, run.finding_rows].every((count) => count === scan.findingCount)
    );
  };
  const extraRuns = sent
    .filter((scan) => scan.retried)
    .map((scan) => Math.max((bySentTime.get(scan.scannedAt)?.length ?? 0) - 1, 0));
  const completed = runs.filter((run) => run.status === "completed");
  return {
    accepted: accepted.length,
    stored: runs.length,
    completed: completed.length,
    failed: runs.filter((run) => run.status === "failed").length,
    acceptedAndLost: accepted.filter((scan) => byId.get(scan.scanRunId ?? "") === undefined).length,
    duplicates: sum(extraRuns) + (await countStrayRows(database)),
    notFinal: runs.filter((run) => run.status === "accepted").length,
    falseCompleted: completed.filter(isFalse).length,
    wrongCurrent: countWrongCurrent(completed),
    contentsHashed: hashes.size,
  };
}

/** How many runs are neither completed nor failed. */
export async function countUnfinished(database: Database): Promise<number> {
  const [row] = await query<{ total: number }>(
    database,
    "SELECT count(*)::int AS total FROM scan_runs WHERE status = 'accepted'",
  );
  return row?.total ?? 0;
}

const RUNS_SQL = `
  WITH endpoint_rows AS (
    SELECT organization_id, snapshot_id, count(*)::int AS total FROM snapshot_endpoints GROUP BY 1, 2
  ), finding_rows AS (
    SELECT organization_id, snapshot_id, count(*)::int AS total FROM snapshot_findings GROUP BY 1, 2
  )
  SELECT r.id, r.organization_id, s.name AS service_name, r.status, r.endpoint_count, r.finding_count,
         encode(r.snapshot_id, 'hex') AS snapshot_id, r.ordered_at,
         r.id IS NOT DISTINCT FROM s.current_run_id AS is_current,
         coalesce(e.total, 0) AS endpoint_rows, coalesce(f.total, 0) AS finding_rows
  FROM scan_runs r
  JOIN services s ON s.organization_id = r.organization_id AND s.id = r.service_id
  LEFT JOIN endpoint_rows e ON e.organization_id = r.organization_id AND e.snapshot_id = r.snapshot_id
  LEFT JOIN finding_rows f ON f.organization_id = r.organization_id AND f.snapshot_id = r.snapshot_id`;

function countWrongCurrent(completed: readonly StoredRun[]): number {
  const services = Map.groupBy(completed, (run) => `${run.organization_id} ${run.service_name}`);
  const isWrong = (runs: readonly StoredRun[]) => {
    const newest = runs.reduce((a, b) =>
      a.ordered_at > b.ordered_at || (+a.ordered_at === +b.ordered_at && a.id > b.id) ? a : b,
    );
    return !newest.is_current;
  };
  return [...services.values()].filter(isWrong).length;
}

const HASHED_MAX = 2_000;

/** The identity of what is stored, worked out from the rows: by organization and snapshot. */
async function hashSnapshots(database: Database): Promise<Map<string, string>> {
  const rows = await query<{
    organization_id: string;
    id: string;
    endpoints: NormalizedEndpoint[];
    findings: NormalizedFinding[];
  }>(database, CONTENTS_SQL, [HASHED_MAX]);
  return new Map(
    rows.map(({ organization_id: organizationId, id, endpoints, findings }) => [
      `${organizationId} ${id}`,
      snapshotId({ endpoints, findings }).toString("hex"),
    ]),
  );
}

const CONTENTS_SQL = `
  SELECT n.organization_id, encode(n.id, 'hex') AS id,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('method', e.method, 'path', e.path, 'operationId', e.operation_id,
              'tags', e.tags, 'summary', e.summary) ORDER BY e.ordinal), '[]')
     FROM snapshot_endpoints e WHERE e.organization_id = n.organization_id AND e.snapshot_id = n.id) AS endpoints,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('code', f.code, 'severity', f.severity, 'message', f.message,
              'method', f.method, 'path', f.path) ORDER BY f.ordinal), '[]')
     FROM snapshot_findings f WHERE f.organization_id = n.organization_id AND f.snapshot_id = n.id) AS findings
  FROM (SELECT organization_id, id FROM snapshots ORDER BY id LIMIT $1) n`;

/** Rows beyond their snapshot's count, or of no snapshot at all; and payloads that a completed run left behind. */
async function countStrayRows(database: Database): Promise<number> {
  const [row] = await query<{ total: number }>(
    database,
    `SELECT (
       (SELECT count(*) FROM snapshot_endpoints e LEFT JOIN snapshots n
          ON n.organization_id = e.organization_id AND n.id = e.snapshot_id
        WHERE n.id IS NULL OR e.ordinal >= n.endpoint_count)
       + (SELECT count(*) FROM snapshot_findings f LEFT JOIN snapshots n
            ON n.organization_id = f.organization_id AND n.id = f.snapshot_id
          WHERE n.id IS NULL OR f.ordinal >= n.finding_count)
       + (SELECT count(*) FROM scan_payloads p JOIN scan_runs r
            ON r.organization_id = p.organization_id AND r.id = p.scan_run_id
          WHERE r.status = 'completed')
     )::int AS total`,
  );
  return row?.total ?? 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
