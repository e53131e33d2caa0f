import { DatabaseError, type Pool } from "pg";
import { writeUuidArray } from "../../db/uuid-array.ts";
import type { ContentId } from "../content/content-id.ts";
import type { ChunkedScan } from "../content/chunked-scan.ts";
import { CONTRACT_VERSION } from "../contract-version.ts";
import type { ScanIngestionPayload, ScanSource } from "../schema.ts";
import { type CountedScan, type DayUsage, usageLimitError } from "./usage/queries.ts";

const SERVICE_OR_KEY_EXISTS = "WM001";
const LOCK_NOT_AVAILABLE = "55P03";
const FOREIGN_KEY_VIOLATION = "23503";

/** The caller's permissions, as far as they are known before the scan's service is looked up. */
export interface ScanGrant {
  /** Create the service that the content names. */
  mayCreate: boolean;
  /** Submit scans to any service that the scan names. */
  mayUpdate: boolean;
  /** Submit scans to this service. */
  serviceId: string | null;
}

/** The content of a body that was read. */
export interface ReadScan {
  /** The body without its items, as received. */
  description: Omit<ScanIngestionPayload, "endpoints" | "findings">;
  /** The id of the service, if it is new. */
  newServiceId: string;
  content: Omit<ChunkedScan, "description" | "pack">;
}

export interface ScanToAccept {
  organizationId: string;
  scanRunId: string;
  createdByKeyId: string;
  /** SHA-256 of the body as received. */
  bodyHash: Buffer;
  idempotencyKey: string | null;
  promote: boolean;
  scannedAt: Date | null;
  /** Where the description comes from, as the client says. */
  source: ScanSource | null;
  /** W3C `traceparent` of the request, if it is traced. The worker's spans join this trace. */
  traceParent: string | undefined;
  grant: ScanGrant;
  /** Null if the body has not been read. Then only a known body is accepted. */
  scan: ReadScan | null;
  /** The chunks whose items are sent, and these items, compressed. */
  sent: SentChunks;
  /** Set if its organization has a daily limit. */
  counted: CountedScan | null;
}

export interface SentChunks {
  chunks: ReadonlySet<ContentId>;
  items: Buffer;
  /** The size of the items before compression. */
  itemsBytes: number;
}

interface Counts {
  endpointCount: number;
  findingCount: number;
}

export type AcceptOutcome = { usage?: DayUsage | null } & (
  | ({
      outcome: "completed" | "accepted";
      scanRunId: string;
      serviceId: string;
      serviceName: string;
      createdAt: Date;
      unchanged: boolean;
    } & Counts)
  /** The first response to this idempotency key. `unchanged` is null if that was `accepted`. */
  | ({
      outcome: "replayed";
      scanRunId: string;
      serviceId: string;
      serviceName: string;
      serviceIsNew: boolean;
      createdAt: Date;
      unchanged: boolean | null;
    } & Counts)
  | { outcome: "key_used" }
  /** These bytes are unknown. */
  | { outcome: "content_needed" }
  | { outcome: "chunks_needed"; missingChunks: string }
  /** `serviceId` is null if the service doesn't exist. */
  | ({ outcome: "permission_needed"; serviceId: string | null; serviceName: string } & Counts)
  /** Another transaction has locked the service. */
  | { outcome: "locked" }
  /** A concurrent transaction created or deleted something: call again. */
  | { outcome: "conflict" }
  /** Another transaction held a needed lock for more than 2 seconds. */
  | { outcome: "in_progress" }
);

/**
 * Accepts scans of one organization in ONE statement and its commit, or returns what is missing for each. If it throws,
 * either all or none of them are stored.
 *
 * @param options `mayWait`: whether to wait for locks up to 2 seconds; otherwise 0.2 seconds, or not at all (`locked`)
 * @returns the outcomes, in the order of the scans
 * @throws UsageLimitExceeded, DatabaseError
 */
export async function acceptScans(
  pool: Pool,
  scans: readonly ScanToAccept[],
  { mayWait }: { mayWait: boolean },
): Promise<AcceptOutcome[]> {
  const { rows } = await pool.query<{ index: number } & AcceptOutcome>({
    name: `accept_scan_run_${scans.length}`,
    text: statementFor(scans.length),
    values: scans.flatMap((scan) => valuesOf(scan, mayWait)),
  });
  return rows.toSorted((one, other) => one.index - other.index);
}

/** Like `acceptScans`, for one scan. Conflicts become outcomes. */
export async function acceptScan(pool: Pool, scan: ScanToAccept): Promise<AcceptOutcome> {
  try {
    const [outcome] = await acceptScans(pool, [scan], { mayWait: true });
    return outcome ?? { outcome: "conflict" };
  } catch (error) {
    const code = error instanceof DatabaseError ? error.code : undefined;
    if (code === SERVICE_OR_KEY_EXISTS || code === FOREIGN_KEY_VIOLATION) return { outcome: "conflict" };
    if (code === LOCK_NOT_AVAILABLE) return { outcome: "in_progress" };
    throw usageLimitError(error) ?? error;
  }
}

/** Parses an array of uuids in Postgres' text format. */
export function parseChunkIds(array: string): Set<ContentId> {
  const ids = array.slice(1, -1).replaceAll("-", "");
  return new Set(ids === "" ? [] : ids.split(","));
}

const PARAMETERS = 23;
const statements = new Map<number, string>();

function statementFor(scans: number): string {
  const known = statements.get(scans);
  if (known !== undefined) return known;
  const calls = Array.from({ length: scans }, (_, index) => {
    const parameters = Array.from({ length: PARAMETERS }, (_unused, n) => `$${index * PARAMETERS + n + 1}`);
    return `SELECT ${index} AS index, outcome, run_id AS "scanRunId", created_at AS "createdAt", unchanged,
                   service_id AS "serviceId", service_name AS "serviceName", service_is_new AS "serviceIsNew",
                   endpoint_count AS "endpointCount", finding_count AS "findingCount",
                   missing_chunks::text AS "missingChunks", usage
            FROM accept_scan_run(${parameters.join(", ")})`;
  });
  const text = calls.join(" UNION ALL ");
  statements.set(scans, text);
  return text;
}

function valuesOf(run: ScanToAccept, mayWait: boolean): unknown[] {
  const { grant, scan, sent, counted } = run;
  const values = [
    run.organizationId,
    run.scanRunId,
    run.createdByKeyId,
    run.bodyHash,
    CONTRACT_VERSION,
    run.idempotencyKey,
    run.promote,
    run.scannedAt,
    run.traceParent,
    mayWait,
    grant.mayCreate,
    grant.mayUpdate,
    grant.serviceId,
    scan === null ? null : describe(scan),
    scan === null ? null : writeUuidArray(scan.content.endpointChunks),
    scan === null ? null : writeUuidArray(scan.content.findingChunks),
    writeUuidArray([...sent.chunks]),
    sent.items,
    sent.itemsBytes,
    counted?.bytes,
    counted?.scansMax,
    counted?.bytesMax,
    run.source === null ? null : JSON.stringify(run.source),
  ];
  return values;
}

/** A scan without its chunks. */
function describe({ description, newServiceId, content }: ReadScan): string {
  const { snapshotId, endpointCount, findingCount } = content;
  return JSON.stringify({ ...description, newServiceId, snapshotId, endpointCount, findingCount });
}
