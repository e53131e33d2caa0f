import { DatabaseError, type Pool } from "pg";
import { writeUuidArray } from "../../db/uuid-array.ts";
import type { ContentId } from "../content/content-id.ts";
import type { ChunkedScan } from "../content/chunked-scan.ts";
import { CONTRACT_VERSION } from "../contract-version.ts";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import type { ScanSource } from "@waymark/shared/scans/source/schema.ts";
import { type CountedScan, type DayUsage, usageLimitError } from "./usage.queries.ts";

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

type Fields = Readonly<Record<string, (scan: ScanToAccept) => unknown>>;

/** The composite arguments of `accept_scan_run` by their types, with the fields of each, in the database's order. */
const ARGUMENTS: Readonly<Record<string, Fields>> = {
  scan_submission: {
    scan_run_id: ({ scanRunId }) => scanRunId,
    created_by_key_id: ({ createdByKeyId }) => createdByKeyId,
    body_hash: ({ bodyHash }) => bodyHash,
    contract_version: () => CONTRACT_VERSION,
    idempotency_key: ({ idempotencyKey }) => idempotencyKey,
    promote: ({ promote }) => promote,
    scanned_at: ({ scannedAt }) => scannedAt,
    trace_parent: ({ traceParent }) => traceParent,
    // A field that is not known is not stored.
    source: ({ source }) =>
      source === null ? null : JSON.stringify(source, (_, value: unknown) => value ?? undefined),
  },
  scan_grant: {
    may_create: ({ grant }) => grant.mayCreate,
    may_update: ({ grant }) => grant.mayUpdate,
    service_id: ({ grant }) => grant.serviceId,
  },
  scan_content: {
    description: ({ scan }) => (scan === null ? null : JSON.stringify(scan.description)),
    new_service_id: ({ scan }) => scan?.newServiceId,
    snapshot_id: ({ scan }) => scan?.content.snapshotId,
    endpoint_count: ({ scan }) => scan?.content.endpointCount,
    finding_count: ({ scan }) => scan?.content.findingCount,
    endpoint_chunks: ({ scan }) => (scan === null ? null : writeUuidArray(scan.content.endpointChunks)),
    finding_chunks: ({ scan }) => (scan === null ? null : writeUuidArray(scan.content.findingChunks)),
  },
  sent_chunks: {
    chunks: ({ sent }) => writeUuidArray([...sent.chunks]),
    items: ({ sent }) => sent.items,
    items_bytes: ({ sent }) => sent.itemsBytes,
  },
  scan_limits: {
    body_bytes: ({ counted }) => counted?.bytes,
    scans_max: ({ counted }) => counted?.scansMax,
    bytes_max: ({ counted }) => counted?.bytesMax,
  },
};
const FIELDS = Object.values(ARGUMENTS).flatMap((fields) => Object.values(fields));
const statements = new Map<number, string>();

function statementFor(scans: number): string {
  const known = statements.get(scans);
  if (known !== undefined) return known;
  let parameters = 0;
  const parameter = () => `$${++parameters}`;
  const composite = ([type, fields]: [string, Fields]) =>
    `ROW(${Object.keys(fields).map(parameter).join(", ")})::${type}`;
  const call = () => {
    const organizationId = parameter();
    const composites = Object.entries(ARGUMENTS).map(composite);
    return `accept_scan_run(${[organizationId, ...composites, parameter()].join(", ")})`;
  };
  const calls = Array.from(
    { length: scans },
    (
      _,
      index,
    ) => `SELECT ${index} AS index, outcome, run_id AS "scanRunId", created_at AS "createdAt", unchanged,
                          service_id AS "serviceId", service_name AS "serviceName", service_is_new AS "serviceIsNew",
                          endpoint_count AS "endpointCount", finding_count AS "findingCount",
                          missing_chunks::text AS "missingChunks", usage
                   FROM ${call()}`,
  );
  const text = calls.join(" UNION ALL ");
  statements.set(scans, text);
  return text;
}

/** Returns the parameters of one call. */
function valuesOf(scan: ScanToAccept, mayWait: boolean): unknown[] {
  return [scan.organizationId, ...FIELDS.map((valueOf) => valueOf(scan)), mayWait];
}
