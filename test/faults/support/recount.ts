import { chunkedContent } from "@waymark/test-support/scans/chunked-payload.ts";
import type { NormalizedEndpoint, NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { query } from "@waymark/test-support/sql.ts";
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
  /** 201s whose run doesn't exist. */
  acceptedAndLost: number;
  /** Additional runs of a scan with an Idempotency-Key, and rows that no chunk counts. */
  duplicates: number;
  notFinal: number;
  /** Completed runs whose stored rows differ from the sent ones, by count or by hash. */
  falseCompleted: number;
  /** Services whose current run is not the newest completed one. */
  wrongCurrent: number;
  /** Snapshots whose rows were read back and hashed: all of them, or a sample of many. */
  contentsHashed: number;
}

/**
 * Checks the stored rows against the sent scans, as the database's owner, without Waymark's code.
 *
 * @param options `deletable`: ids of runs that the test itself may have deleted once they were completed
 */
export async function reckon(
  database: Database,
  sent: readonly SentScan[],
  { deletable = new Set() }: { deletable?: ReadonlySet<string> } = {},
): Promise<Reckoning> {
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
  const isLost = ({ scanRunId }: SentScan) =>
    scanRunId !== null && !byId.has(scanRunId) && !deletable.has(scanRunId);
  const extraRuns = sent
    .filter((scan) => scan.retried)
    .map((scan) => Math.max((bySentTime.get(scan.scannedAt)?.length ?? 0) - 1, 0));
  const completed = runs.filter((run) => run.status === "completed");
  return {
    accepted: accepted.length,
    stored: runs.length,
    completed: completed.length,
    failed: runs.filter((run) => run.status === "failed").length,
    acceptedAndLost: accepted.filter(isLost).length,
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

/** Row by row, through the lists of chunks. */
const RUNS_SQL = `
  WITH counted AS (
    SELECT n.organization_id, n.id,
           (SELECT count(*)::int FROM unnest(n.endpoint_chunks) AS named (id)
            JOIN chunk_endpoints e ON e.organization_id = n.organization_id AND e.chunk_id = named.id) AS endpoint_rows,
           (SELECT count(*)::int FROM unnest(n.finding_chunks) AS named (id)
            JOIN chunk_findings f ON f.organization_id = n.organization_id AND f.chunk_id = named.id) AS finding_rows
    FROM snapshots n
  )
  SELECT r.id, r.organization_id, s.name AS service_name, r.status, r.endpoint_count, r.finding_count,
         replace(r.snapshot_id::text, '-', '') AS snapshot_id, r.ordered_at,
         r.id IS NOT DISTINCT FROM s.current_run_id AS is_current,
         coalesce(c.endpoint_rows, 0) AS endpoint_rows, coalesce(c.finding_rows, 0) AS finding_rows
  FROM scan_runs r
  JOIN services s ON s.organization_id = r.organization_id AND s.id = r.service_id
  LEFT JOIN counted c ON c.organization_id = r.organization_id AND c.id = r.snapshot_id`;

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

/** The identity of the stored content, computed from the rows, by organization and snapshot. */
export async function hashSnapshots(database: Database): Promise<Map<string, string>> {
  const rows = await query<{
    organization_id: string;
    id: string;
    endpoints: NormalizedEndpoint[];
    findings: NormalizedFinding[];
  }>(database, CONTENTS_SQL, [HASHED_MAX]);
  return new Map(
    rows.map(({ organization_id: organizationId, id, endpoints, findings }) => [
      `${organizationId} ${id}`,
      chunkedContent({ endpoints, findings }).snapshotId,
    ]),
  );
}

const CONTENTS_SQL = `
  SELECT n.organization_id, replace(n.id::text, '-', '') AS id,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('method', e.method, 'path', e.path, 'operationId', e.operation_id,
              'tags', e.tags, 'summary', e.summary) ORDER BY named.index, e.ordinal), '[]')
     FROM unnest(n.endpoint_chunks) WITH ORDINALITY AS named (id, index)
     JOIN chunk_endpoints e ON e.organization_id = n.organization_id AND e.chunk_id = named.id) AS endpoints,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('code', f.code, 'severity', f.severity, 'message', f.message,
              'method', f.method, 'path', f.path) ORDER BY named.index, f.ordinal), '[]')
     FROM unnest(n.finding_chunks) WITH ORDINALITY AS named (id, index)
     JOIN chunk_findings f ON f.organization_id = n.organization_id AND f.chunk_id = named.id) AS findings
  FROM (SELECT * FROM snapshots ORDER BY id LIMIT $1) n`;

/** Rows beyond their chunk's count or without a chunk, and payloads of completed runs. */
async function countStrayRows(database: Database): Promise<number> {
  const [row] = await query<{ total: number }>(
    database,
    `SELECT (
       (SELECT count(*) FROM chunk_endpoints e LEFT JOIN chunks c
          ON c.organization_id = e.organization_id AND c.id = e.chunk_id
        WHERE c.id IS NULL OR e.ordinal >= c.endpoint_count)
       + (SELECT count(*) FROM chunk_findings f LEFT JOIN chunks c
            ON c.organization_id = f.organization_id AND c.id = f.chunk_id
          WHERE c.id IS NULL OR f.ordinal >= c.finding_count)
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
