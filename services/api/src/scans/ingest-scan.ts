import { hash } from "node:crypto";
import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { detachOwnedBuffer } from "@waymark/shared/lib/detach-buffer.ts";
import type { ScanJob } from "@waymark/shared/queue/scan-queue.ts";
import type { Acceptance } from "@waymark/shared/scans/accept/acceptance.ts";
import {
  type AcceptOutcome,
  parseChunkIds,
  type ScanGrant,
  type ScanToAccept,
} from "@waymark/shared/scans/accept/queries.ts";
import type { ChunkedScan } from "@waymark/shared/scans/content/chunked-scan.ts";
import type { ContentId } from "@waymark/shared/scans/content/content-id.ts";
import type { ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { v7 as uuidv7 } from "uuid";
import { requestInProgress } from "../lib/idempotency-key.ts";
import type { IngestPath } from "../lib/request-context.ts";
import type { DailyQuota } from "./daily-quota.ts";
import { NOTHING_SENT, readScan, type ScanInput, sendChunks } from "./read-scan.ts";
import type { RecentContent } from "./recent-content.ts";
import { assertMayScan, grantFor } from "./scan-grant.ts";

export interface IngestRequest {
  actor: Actor;
  /** As it was sent: what a repetition is recognized by. */
  body: Buffer;
  isCompressed: boolean;
  /** Called only where no equal body is known. */
  decodeBody: () => Promise<Buffer>;
  idempotencyKey: string | null;
  scannedAt: Date | null;
  promote: boolean;
  /** Where the trace of this scan began, for the worker to join; undefined where it is not traced. */
  traceParent: string | undefined;
  /** The limits per day of its organization, for a body of so many bytes; null where there are none. */
  quotaOf: (bytes: number) => DailyQuota | null;
}

interface IngestDependencies {
  acceptance: Acceptance;
  announce: (job: ScanJob) => void;
  recent: RecentContent;
}

interface Ingested {
  answer: Omit<ScanIngestionResult, "resultUrl">;
  path: IngestPath;
}

/** What is known of a scan and sent to the database with it. */
interface Known {
  /** Undefined where only the hash of the body is known. */
  input?: ScanInput;
  grant: ScanGrant;
  quota: DailyQuota | null;
  /** Decoded, where there is an input; else as it was sent. */
  body: Buffer;
}

/** Content, missing chunks, a permission; and how often a lost race (a service, a key, a chunk came or went) is run again. */
const ATTEMPTS_MAX = 8;
/** To compress and send as many takes less than to ask which of them are missing. */
const UNASKED_CHUNKS_MAX = 32;

/**
 * Accepts a scan. When this returns, the scan is durable: complete, where all of its content was stored already, or waiting in
 * the database with what was missing and announced to the workers. The database is asked with what is known so far, and says
 * what it needs.
 *
 * @throws AppError `permission_denied`, `idempotency_key_reused`, `request_in_progress`, `rate_limited`, or what
 * `decodeBody` and `readScan` throw
 */
export async function ingestScan(
  dependencies: IngestDependencies,
  request: IngestRequest,
): Promise<Ingested> {
  const { accept } = dependencies.acceptance;
  const bodyHash = hashBody(request);
  const service = dependencies.recent.serviceOfBody(request.actor.organizationId, bodyHash);
  // Of a known body nothing is stored, so the bytes that were sent are what it costs.
  const quota = request.quotaOf(request.body.byteLength);
  if (request.idempotencyKey === null) quota?.assertRoom();
  let known: Known =
    service === undefined
      ? await readContent(dependencies, request)
      : { grant: grantFor(request.actor, service), quota, body: request.body };

  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    // A used-up day refuses new scans without asking. What an idempotency key gives again is none.
    if (attempt > 0 || request.idempotencyKey === null) known.quota?.assertRoom();
    const run = describeRun(request, bodyHash, known);
    const outcome = await (known.quota?.accept(accept(run)) ?? accept(run));
    switch (outcome.outcome) {
      case "completed":
      case "accepted":
        return finish(dependencies, request, { run, outcome, known });
      case "replayed":
        // A repetition needs what its first time needed.
        assertMayScan(request.actor, outcome.serviceIsNew ? { ...outcome, serviceId: null } : outcome);
        return {
          answer: toAnswer(outcome, outcome.unchanged === null ? "accepted" : "completed"),
          path: "replayed",
        };
      case "key_used":
        throw keyReused();
      case "in_progress":
        throw requestInProgress();
      default:
        known = await learn(dependencies, request, known, outcome);
    }
  }
  throw requestInProgress();
}

/** Reads the body, and packs what is likely to be missing where that is little. */
async function readContent({ recent }: IngestDependencies, request: IngestRequest): Promise<Known> {
  const { actor } = request;
  const body = await request.decodeBody();
  let input = readScan(body);
  const { name } = input.scan.description.service;
  const newChunks = recent.newChunks(actor.organizationId, name, chunksOf(input.scan.content));
  if (newChunks.size <= UNASKED_CHUNKS_MAX) input = await sendChunks(body, input, newChunks);
  return {
    input,
    grant: grantFor(actor, recent.serviceNamed(actor.organizationId, name)),
    quota: request.quotaOf(body.byteLength),
    body,
  };
}

/** Adds what the database asked for. */
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
      const { input, body } = known;
      if (input === undefined) return known;
      const missing = new Set([...input.sent.chunks, ...parseChunkIds(outcome.missingChunks)]);
      return { ...known, input: await sendChunks(body, input, missing) };
    }
    case "permission_needed":
      assertMayScan(request.actor, outcome);
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
  const service = { id: outcome.serviceId, name: outcome.serviceName };
  const chunks = known.input && chunksOf(known.input.scan.content);
  recent.remember({ organizationId, bodyHash, service, chunks });
  if (outcome.outcome === "accepted") announce({ organizationId, scanRunId });
  for (const body of new Set([request.body, known.body])) detachOwnedBuffer(body);
  return { answer: toAnswer(outcome, outcome.outcome), path: scan === null ? "repeated" : "new" };
}

/** Compressed bytes are another body when they are sent as plain ones. */
function hashBody({ body, isCompressed }: IngestRequest): Buffer {
  const bodyHash = hash("sha256", body, "buffer");
  return isCompressed ? hash("sha256", Buffer.concat([Buffer.from("gzip"), bodyHash]), "buffer") : bodyHash;
}

function describeRun(request: IngestRequest, bodyHash: Buffer, known: Known): ScanToAccept {
  const { actor, idempotencyKey, promote, scannedAt, traceParent } = request;
  const { scan = null, sent = NOTHING_SENT } = known.input ?? {};
  return {
    organizationId: actor.organizationId,
    scanRunId: uuidv7(),
    createdByKeyId: actor.apiKeyId,
    bodyHash,
    idempotencyKey,
    promote,
    scannedAt,
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

function toAnswer(
  run: Extract<AcceptOutcome, { scanRunId: string }>,
  status: "accepted" | "completed",
): Ingested["answer"] {
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
