import { hash } from "node:crypto";
import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { detachOwnedBuffer } from "@waymark/server/lib/detach-buffer.ts";
import type { ScanJob } from "@waymark/server/queue/scan-queue.ts";
import type { Acceptance } from "@waymark/server/scans/accept/acceptance.ts";
import {
  type AcceptOutcome,
  parseChunkIds,
  type ScanGrant,
  type ScanToAccept,
} from "@waymark/server/scans/accept/queries.ts";
import type { ChunkedScan } from "@waymark/server/scans/content/chunked-scan.ts";
import type { ContentId } from "@waymark/server/scans/content/content-id.ts";
import type { ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import type { ScanSource } from "@waymark/shared/scans/source/schema.ts";
import { v7 as uuidv7 } from "uuid";
import type { IngestPath } from "../lib/request-context.ts";
import type { DailyQuota } from "./daily-quota.ts";
import { NOTHING_SENT, readScan, type ScanInput, sendChunks } from "./read-scan.ts";
import type { RecentContent } from "./recent-content.ts";
import { assertMayScan, grantFor } from "./scan-grant.ts";

export interface IngestRequest {
  actor: Actor;
  /** The body as received, which identifies a repetition. */
  body: Buffer;
  isCompressed: boolean;
  /** Called only if no equal body is known. */
  decodeBody: () => Promise<Buffer>;
  idempotencyKey: string | null;
  scannedAt: Date | null;
  promote: boolean;
  source: ScanSource | null;
  /** The `traceparent` of this scan, for the worker's spans; undefined if it is not traced. */
  traceParent: string | undefined;
  /** Creates the daily quota of its organization for a body of this size; null if there is no limit. */
  quotaOf: (bytes: number) => DailyQuota | null;
}

interface IngestDependencies {
  acceptance: Acceptance;
  announce: (job: ScanJob) => void;
  recent: RecentContent;
}

interface Ingested {
  response: Omit<ScanIngestionResult, "resultUrl">;
  path: IngestPath;
}

/** The known properties of a scan, which are sent to the database. */
interface Known {
  /** Undefined if only the hash of the body is known. */
  input?: ScanInput;
  /** The service's name in the body: its name, or an alias. */
  sentName: string;
  grant: ScanGrant;
  quota: DailyQuota | null;
  /** The decoded size if there is an input, otherwise the received size. */
  body: Buffer;
}

/** One attempt each for content, missing chunks and a permission, and some for conflicts with concurrent changes. */
const ATTEMPTS_MAX = 8;
/**
 * Without the service's last scan, up to this many chunks are compressed and sent: asking which are missing is slower.
 */
const UNASKED_CHUNKS_MAX = 32;

/**
 * Accepts a scan. When this returns, the scan is durable: either completed, because all of its content was already stored,
 * or waiting in the database with its new content and announced to the workers. Each call sends what is known so far, and
 * the database returns what is missing.
 *
 * @throws AppError `permission_denied`, `idempotency_key_reused`, `request_in_progress`, `rate_limited`, or an error of
 * `decodeBody` or `readScan`
 */
export async function ingestScan(
  dependencies: IngestDependencies,
  request: IngestRequest,
): Promise<Ingested> {
  const { accept } = dependencies.acceptance;
  const bodyHash = hashBody(request);
  const service = dependencies.recent.serviceOfBody(request.actor.organizationId, bodyHash);
  // A known body is not stored again, so only the received bytes count.
  const quota = request.quotaOf(request.body.byteLength);
  if (request.idempotencyKey === null) quota?.assertRoom();
  let known: Known =
    service === undefined
      ? await readContent(dependencies, request)
      : { sentName: service.name, grant: grantFor(request.actor, service), quota, body: request.body };

  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    // If the daily limit is used up, new scans are refused without a query. Replays are not new scans.
    if (attempt > 0 || request.idempotencyKey === null) known.quota?.assertRoom();
    const run = describeRun(request, bodyHash, known);
    const outcome = await (known.quota?.accept(accept(run)) ?? accept(run));
    switch (outcome.outcome) {
      case "completed":
      case "accepted":
        return finish(dependencies, request, { run, outcome, known });
      case "replayed":
        // A repetition needs the same permissions as the first request.
        assertMayScan(
          request.actor,
          outcome.serviceIsNew ? { ...outcome, serviceId: null } : outcome,
          known.sentName,
        );
        return {
          response: toResponse(outcome, outcome.unchanged === null ? "accepted" : "completed"),
          path: "replayed",
        };
      case "key_used":
        throw keyReused();
      case "in_progress":
        throw scanInProgress();
      default:
        known = await learn(dependencies, request, known, outcome);
    }
  }
  throw scanInProgress();
}

/** Reads the body, and packs the chunks that are probably missing: few, or what the service's last scan didn't have. */
async function readContent({ recent }: IngestDependencies, request: IngestRequest): Promise<Known> {
  const { actor } = request;
  const body = await request.decodeBody();
  let input = readScan(body);
  const { content, description } = input.scan;
  const { service, newChunks } = recent.compare(
    actor.organizationId,
    description.service.name,
    chunksOf(content),
  );
  const isLikelyMissing = service.id !== undefined || newChunks.size <= UNASKED_CHUNKS_MAX;
  if (isLikelyMissing) input = await sendChunks(input, newChunks);
  return {
    input,
    sentName: description.service.name,
    grant: grantFor(actor, service),
    quota: request.quotaOf(body.byteLength),
    body,
  };
}

/** Adds the data that the database returned as missing. */
async function learn(
  dependencies: IngestDependencies,
  request: IngestRequest,
  known: Known,
  outcome: Extract<
    AcceptOutcome,
    { outcome: "content_needed" | "chunks_needed" | "permission_needed" | "locked" | "conflict" }
  >,
): Promise<Known> {
  switch (outcome.outcome) {
    case "content_needed":
      return readContent(dependencies, request);
    case "chunks_needed": {
      const { input } = known;
      if (input === undefined) return known;
      const missing = new Set([...input.sent.chunks, ...parseChunkIds(outcome.missingChunks)]);
      return { ...known, input: await sendChunks(input, missing) };
    }
    case "permission_needed":
      assertMayScan(request.actor, outcome, known.sentName);
      return {
        ...known,
        grant:
          outcome.serviceId === null
            ? { ...known.grant, mayCreate: true }
            : { ...known.grant, serviceId: outcome.serviceId },
      };
    default:
      return known;
  }
}

function finish(
  { announce, recent }: IngestDependencies,
  request: IngestRequest,
  {
    run: { scanRunId, bodyHash, scan },
    outcome,
    known,
  }: {
    run: ScanToAccept;
    outcome: Extract<AcceptOutcome, { outcome: "completed" | "accepted" }>;
    known: Known;
  },
): Ingested {
  const { organizationId } = request.actor;
  // By the name that the same body, and the next one, have again.
  const service = { id: outcome.serviceId, name: known.sentName };
  const chunks = known.input && chunksOf(known.input.scan.content);
  recent.remember({ organizationId, bodyHash, service, chunks });
  if (outcome.outcome === "accepted") announce({ organizationId, scanRunId });
  for (const body of new Set([request.body, known.body])) detachOwnedBuffer(body);
  return { response: toResponse(outcome, outcome.outcome), path: scan === null ? "repeated" : "new" };
}

/** Returns the hash of a body. Equal bytes with another Content-Encoding are another body. */
function hashBody({ body, isCompressed }: IngestRequest): Buffer {
  const bodyHash = hash("sha256", body, "buffer");
  return isCompressed ? hash("sha256", Buffer.concat([Buffer.from("gzip"), bodyHash]), "buffer") : bodyHash;
}

function describeRun(request: IngestRequest, bodyHash: Buffer, known: Known): ScanToAccept {
  const { actor, idempotencyKey, promote, scannedAt, source, traceParent } = request;
  const { scan = null, sent = NOTHING_SENT } = known.input ?? {};
  return {
    organizationId: actor.organizationId,
    scanRunId: uuidv7(),
    createdByKeyId: actor.apiKeyId,
    bodyHash,
    idempotencyKey,
    promote,
    scannedAt,
    source,
    traceParent,
    grant: known.grant,
    scan,
    sent,
    counted: known.quota?.counted ?? null,
  };
}

function chunksOf({ endpointChunks, findingChunks }: ChunkedScan): ContentId[] {
  return [...endpointChunks, ...findingChunks];
}

function keyReused(): AppError {
  return new AppError(
    "idempotency_key_reused",
    "This Idempotency-Key was used with another body. Use a new key for a new scan.",
  );
}

/** Another one holds the service or the idempotency key for longer than the database waits. */
function scanInProgress(): AppError {
  return new AppError(
    "request_in_progress",
    "Another scan of this service, or a request with the same Idempotency-Key, is still in progress. Try again shortly.",
    { data: { retryAfterSeconds: 1 } },
  );
}

function toResponse(
  run: Extract<AcceptOutcome, { scanRunId: string }>,
  status: "accepted" | "completed",
): Ingested["response"] {
  return {
    scanRunId: run.scanRunId,
    serviceId: run.serviceId,
    status,
    endpointCount: run.endpointCount,
    findingCount: run.findingCount,
    unchanged: run.unchanged ?? false,
    createdAt: run.createdAt.toISOString(),
  };
}
