import { DatabaseError, type Pool } from "pg";
import type { ContentId } from "../content/content-id.ts";
import type { ChunkedScan } from "../content/chunked-scan.ts";
import { CONTRACT_VERSION } from "../contract-version.ts";
import type { ScanIngestionPayload } from "../schema.ts";
import { type CountedScan, type DayUsage, usageLimitError } from "./usage/queries.ts";

const SERVICE_OR_KEY_EXISTS = "WM001";
const LOCK_NOT_AVAILABLE = "55P03";
const FOREIGN_KEY_VIOLATION = "23503";

/** What the caller may do, as far as it can be told before the scan's service is looked up. */
export interface ScanGrant {
  /** Make the service that the content names. */
  mayCreate: boolean;
  /** Scan into any service that the scan names. */
  mayUpdate: boolean;
  /** Scan into this service, in any case. */
  serviceId: string | null;
}

/** What a body says, once it was read. */
export interface ReadScan {
  /** All of it but its items, as it came. */
  description: Omit<ScanIngestionPayload, "endpoints" | "findings">;
  /** What the service gets when it is new. */
  newServiceId: string;
  content: Omit<ChunkedScan, "description" | "pack">;
}

export interface ScanToAccept {
  organizationId: string;
  scanRunId: string;
  createdByKeyId: string;
  /** SHA-256 of the body as it was sent. */
  bodyHash: Buffer;
  idempotencyKey: string | null;
  promote: boolean;
  scannedAt: Date | null;
  /** W3C `traceparent` of the request, where it is traced: the worker's part of the trace joins it. */
  traceParent: string | undefined;
  grant: ScanGrant;
  /** Null where the body has not been read: then only a body that is known is accepted. */
  scan: ReadScan | null;
  /** The chunks whose items are sent with it, and these items, compressed. */
  sent: SentChunks;
  /** Where its organization has a limit per day. */
  counted: CountedScan | null;
}

export interface SentChunks {
  chunks: ReadonlySet<ContentId>;
  items: Buffer;
  /** Of the items before they were compressed. */
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
  /** The first answer to this idempotency key. `unchanged` is null where that was `accepted`. */
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
  /** Nothing is known of these bytes. */
  | { outcome: "content_needed" }
  | { outcome: "chunks_needed"; missingChunks: string }
  /** `serviceId` is null where there is no such service. */
  | ({ outcome: "permission_needed"; serviceId: string | null; serviceName: string } & Counts)
  /** Others work on the service. */
  | { outcome: "locked" }
  /** Something appeared or went at this moment: ask again. */
  | { outcome: "conflict" }
  /** Somebody else holds what is needed, and has not ended within 2 seconds. */
  | { outcome: "in_progress" }
);

/**
 * Accepts scans of one organization in ONE statement and its commit, or says what is missing for each. All or none of them
 * are stored when it throws.
 *
 * @param options `mayWait`: for what others have locked, for up to 2 seconds; else for a moment, or not at all (`locked`)
 * @returns the outcomes, in the scans' order
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

/** The same for one scan, whose conflicts become outcomes. */
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

/** Ids as Postgres writes an array of uuids. */
export function parseChunkIds(array: string): Set<ContentId> {
  const ids = array.slice(1, -1).replaceAll("-", "");
  return new Set(ids === "" ? [] : ids.split(","));
}

const writeChunkIds = (ids: Iterable<ContentId>) => `{${[...ids].join(",")}}`;

const PARAMETERS = 22;
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
    scan === null ? null : writeChunkIds(scan.content.endpointChunks),
    scan === null ? null : writeChunkIds(scan.content.findingChunks),
    writeChunkIds(sent.chunks),
    sent.items,
    sent.itemsBytes,
    counted?.bytes,
    counted?.scansMax,
    counted?.bytesMax,
  ];
  return values;
}

/** All of a scan but its chunks. */
function describe({ description, newServiceId, content }: ReadScan): string {
  const { snapshotId, endpointCount, findingCount } = content;
  return JSON.stringify({ ...description, newServiceId, snapshotId, endpointCount, findingCount });
}
