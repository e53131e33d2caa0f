import type { Pool } from "pg";
import { CONTRACT_VERSION } from "../../contract-version.ts";
import type { KnownScan, KnownScanRun, NewScanRun, UsageColumn } from "../queries.ts";
import { countUsage } from "../usage/queries.ts";

/** What a statement for several runs says of one of them. */
interface Placed {
  /** Of the run among those handed over, from 1 on. */
  place: number;
}

/**
 * As `acceptKnownScanRun`, for runs of one organization, in their order. `locked` where somebody else works on the
 * run's service: nothing was done for it.
 */
export async function acceptKnownScanRuns(
  pool: Pool,
  runs: readonly KnownScanRun[],
): Promise<(KnownScan | null | "locked")[]> {
  const query = {
    name: "accept_known_scan_runs",
    text: `SELECT place, created_at AS "createdAt", unchanged, service_id AS "serviceId",
                  endpoint_count AS "endpointCount", finding_count AS "findingCount"
           FROM accept_known_scan_runs($1, $2, $3, $4, $5, $6, $7)`,
    values: [
      runs[0]?.organizationId,
      CONTRACT_VERSION,
      runs.map((run) => run.scanRunId),
      Buffer.concat(runs.map((run) => run.bodyHash)),
      runs.map((run) => run.promote),
      runs.map((run) => run.scannedAt),
      runs.map((run) => run.createdByKeyId),
    ],
  };
  const { rows } = await pool.query<Placed & Omit<KnownScan, "createdAt"> & { createdAt: Date | null }>(
    countUsage(runs, query, "a.place"),
  );
  const results = runs.map((): KnownScan | null | "locked" => null);
  for (const { place, createdAt, ...row } of rows) {
    results[place - 1] = createdAt === null ? "locked" : { ...row, createdAt };
  }
  return results;
}

/** A run for `acceptNewScanRuns`. */
export type FindingScanRun = NewScanRun & { service: "find"; idempotencyKey: null };

/** As `acceptScanRun`, for runs of one organization: all or none of them. Gives what it gives, in their order. */
export async function acceptNewScanRuns(
  pool: Pool,
  runs: readonly FindingScanRun[],
): Promise<({ createdAt: Date; serviceId: string } & UsageColumn)[]> {
  const query = {
    name: "accept_new_scan_runs",
    text: `SELECT place, created_at AS "createdAt", service_id AS "serviceId"
           FROM accept_new_scan_runs($1, $2, $3, $4, $5, $6)`,
    values: [
      runs[0]?.organizationId,
      CONTRACT_VERSION,
      JSON.stringify(runs.map(describe)),
      runs.map((run) => run.scannedAt),
      Buffer.concat(runs.map((run) => run.bodyHash)),
      // As bytes: inside an array of parameters they would be sent as text of twice their length.
      Buffer.concat(runs.map((run) => run.body)),
    ],
  };
  const { rows } = await pool.query<Placed & { createdAt: Date; serviceId: string } & UsageColumn>(
    countUsage(runs, query, "a.place"),
  );
  return rows.toSorted((one, other) => one.place - other.place);
}

/** All of a run but its bytes and times, named as accept_new_scan_runs names it. */
function describe(run: FindingScanRun) {
  return {
    scan_run_id: run.scanRunId,
    new_service_id: run.newServiceId,
    service_name: run.serviceName,
    spec_hash: run.spec.hash,
    spec_format: run.spec.format,
    spec_version: run.spec.version,
    spec_title: run.spec.title,
    endpoint_count: run.endpointCount,
    finding_count: run.findingCount,
    promote: run.promote,
    created_by_key_id: run.createdByKeyId,
    body_encoding: run.bodyEncoding,
    body_bytes: run.bodyBytes,
    body_length: run.body.byteLength,
    trace_parent: run.traceParent,
  };
}
