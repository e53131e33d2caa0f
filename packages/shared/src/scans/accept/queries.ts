import { DatabaseError, type Pool } from "pg";
import { z } from "zod";
import { CONTRACT_VERSION } from "../contract-version.ts";
import type { PayloadEncoding } from "../payload-encoding.ts";
import {
  type AcceptQuery,
  type CountedScan,
  countUsage,
  type DayUsage,
  usageLimitError,
} from "./usage/queries.ts";

const SERVICE_EXISTS = "WM001";
const LOCK_NOT_AVAILABLE = "55P03";
const FOREIGN_KEY_VIOLATION = "23503";

/** What an equal body left: the service it is of, and how much it holds. */
const ScanReceipt = z.object({
  serviceId: z.string(),
  serviceName: z.string(),
  endpointCount: z.number(),
  findingCount: z.number(),
});
export type ScanReceipt = z.infer<typeof ScanReceipt>;

/** The first answer to an idempotency key. */
const Replay = ScanReceipt.extend({
  scanRunId: z.string(),
  bodyHash: z.instanceof(Buffer),
  serviceCreated: z.boolean(),
  status: z.enum(["accepted", "completed"]),
  unchanged: z.boolean(),
  createdAt: z.date(),
});
export type Replay = z.infer<typeof Replay>;

/** What is known about a body before it is read: its receipt and the first answer to its key, in one round trip. */
export async function findScanReceipt(
  pool: Pool,
  options: { organizationId: string; bodyHash: Buffer; idempotencyKey: string | null },
): Promise<{ receipt: ScanReceipt | null; replay: Replay | null }> {
  const { rows } = await pool.query<Record<string, unknown>>({
    name: "find_scan_receipt",
    text: `SELECT service_id AS "serviceId", service_name AS "serviceName",
                  endpoint_count AS "endpointCount", finding_count AS "findingCount",
                  replayed_run_id AS "scanRunId", replayed_body_hash AS "bodyHash",
                  replayed_service_id AS "replayedServiceId", replayed_service_name AS "replayedServiceName",
                  replayed_service_created AS "serviceCreated", replayed_status AS "status",
                  replayed_unchanged AS "unchanged", replayed_endpoint_count AS "replayedEndpointCount",
                  replayed_finding_count AS "replayedFindingCount", replayed_created_at AS "createdAt"
           FROM find_scan_receipt($1, $2, $3, $4)`,
    values: [options.organizationId, CONTRACT_VERSION, options.bodyHash, options.idempotencyKey],
  });
  const row = rows[0] ?? {};
  return {
    receipt: row["serviceId"] === null ? null : ScanReceipt.parse(row),
    replay:
      row["scanRunId"] === null
        ? null
        : Replay.parse({
            ...row,
            serviceId: row["replayedServiceId"],
            serviceName: row["replayedServiceName"],
            endpointCount: row["replayedEndpointCount"],
            findingCount: row["replayedFindingCount"],
          }),
  };
}

/** The id of the service with this name; null when the organization has none yet. */
export async function findScanService(
  pool: Pool,
  options: { organizationId: string; serviceName: string },
): Promise<string | null> {
  const { rows } = await pool.query<{ service_id: string | null }>({
    name: "find_scan_service",
    text: "SELECT find_scan_service($1, $2) AS service_id",
    values: [options.organizationId, options.serviceName],
  });
  return rows[0]?.service_id ?? null;
}

/** What the run's organization has used of its day, the run included; absent where that is not counted. */
export interface UsageColumn {
  usage?: DayUsage;
}

export type AcceptOutcome =
  | ({ outcome: "accepted"; createdAt: Date; unchanged: boolean; serviceId: string } & UsageColumn)
  /** Something was found that is no longer so (the key is taken, the service exists, the receipt went): look again. */
  | { outcome: "look_again"; usage?: never }
  /** An identical request holds the idempotency key and has not ended within 2 seconds. */
  | { outcome: "in_progress"; usage?: never };

/** What the header fields and the caller's key say, the same on both paths. */
interface AcceptOptions {
  organizationId: string;
  scanRunId: string;
  /** SHA-256 of the decoded body. */
  bodyHash: Buffer;
  promote: boolean;
  scannedAt: Date | null;
  createdByKeyId: string;
  idempotencyKey: string | null;
  /** Where its organization has a limit per day. */
  counted: CountedScan | null;
}

/** Stores a run of a body that has a receipt: complete when this one statement commits. @throws UsageLimitExceeded */
export async function acceptRepeatedScanRun(
  pool: Pool,
  run: AcceptOptions & { serviceId: string },
): Promise<AcceptOutcome> {
  return accept(pool, run, {
    name: "accept_repeated_scan_run",
    text: `SELECT created_at AS "createdAt", unchanged, $9::uuid AS "serviceId"
           FROM accept_repeated_scan_run($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [
      run.organizationId,
      run.scanRunId,
      CONTRACT_VERSION,
      run.bodyHash,
      run.promote,
      run.scannedAt,
      run.createdByKeyId,
      run.idempotencyKey,
      run.serviceId,
    ],
  });
}

/** A run for `acceptKnownScanRun`. */
export type KnownScanRun = Omit<AcceptOptions, "idempotencyKey">;

/** What became of it. */
export type KnownScan = Omit<ScanReceipt, "serviceName"> & {
  createdAt: Date;
  unchanged: boolean;
} & UsageColumn;

/**
 * The same in one round trip and without a look before: for a caller who may scan into every service, and without an
 * idempotency key. Null when no equal body is known, or no longer.
 *
 * @throws UsageLimitExceeded
 */
export async function acceptKnownScanRun(pool: Pool, run: KnownScanRun): Promise<KnownScan | null> {
  try {
    const query = {
      name: "accept_known_scan_run",
      text: `SELECT created_at AS "createdAt", unchanged, service_id AS "serviceId",
                    endpoint_count AS "endpointCount", finding_count AS "findingCount"
             FROM accept_known_scan_run($1, $2, $3, $4, $5, $6, $7)`,
      values: [
        run.organizationId,
        run.scanRunId,
        CONTRACT_VERSION,
        run.bodyHash,
        run.promote,
        run.scannedAt,
        run.createdByKeyId,
      ],
    };
    const { rows } = await pool.query<KnownScan>(countUsage([run], query, "1"));
    return rows[0] ?? null;
  } catch (error) {
    // The snapshot went at this moment.
    if (error instanceof DatabaseError && error.code === FOREIGN_KEY_VIOLATION) return null;
    throw usageLimitError(error) ?? error;
  }
}

export interface NewScanRun extends AcceptOptions {
  /**
   * The service by its id; `find` for whichever has the name, or else a new one, which only a caller who may do both
   * can ask for; or `new` for one that must not exist yet.
   */
  service: { id: string } | "find" | "new";
  /** What a new service gets. */
  newServiceId: string;
  serviceName: string;
  spec: { hash: string; format: string; version?: string | undefined; title?: string | undefined };
  endpointCount: number;
  findingCount: number;
  body: Buffer;
  bodyEncoding: PayloadEncoding;
  /** Size of the payload before it was compressed. */
  bodyBytes: number;
  /** W3C `traceparent` of the request, where it is traced: the worker's part of the trace joins it. */
  traceParent: string | undefined;
}

/**
 * Stores run, payload and idempotency key, and the service when it is new, in ONE statement and its commit.
 *
 * @throws UsageLimitExceeded
 */
export async function acceptScanRun(pool: Pool, run: NewScanRun): Promise<AcceptOutcome> {
  return accept(pool, run, {
    name: "accept_new_scan_run",
    text: `SELECT created_at AS "createdAt", false AS unchanged, service_id AS "serviceId" FROM accept_new_scan_run(
      $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)`,
    values: [
      run.organizationId,
      run.scanRunId,
      typeof run.service === "string" ? null : run.service.id,
      run.service === "find",
      run.newServiceId,
      run.serviceName,
      run.spec.hash,
      run.spec.format,
      run.spec.version,
      run.spec.title,
      run.endpointCount,
      run.findingCount,
      run.promote,
      run.scannedAt,
      run.createdByKeyId,
      run.body,
      run.bodyEncoding,
      run.bodyBytes,
      run.idempotencyKey,
      run.bodyHash,
      CONTRACT_VERSION,
      run.traceParent,
    ],
  });
}

async function accept(pool: Pool, run: AcceptOptions, query: AcceptQuery): Promise<AcceptOutcome> {
  try {
    const { rows } = await pool.query<Omit<Extract<AcceptOutcome, { outcome: "accepted" }>, "outcome">>(
      countUsage([run], query, "1"),
    );
    const row = rows[0];
    return row === undefined ? { outcome: "look_again" } : { outcome: "accepted", ...row };
  } catch (error) {
    const code = error instanceof DatabaseError ? error.code : undefined;
    if (code === SERVICE_EXISTS || code === FOREIGN_KEY_VIOLATION) return { outcome: "look_again" };
    if (code === LOCK_NOT_AVAILABLE) return { outcome: "in_progress" };
    throw usageLimitError(error) ?? error;
  }
}
