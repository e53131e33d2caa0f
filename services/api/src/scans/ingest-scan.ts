import { hash } from "node:crypto";
import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { detachOwnedBuffer } from "@waymark/shared/lib/detach-buffer.ts";
import type { ScanJob } from "@waymark/shared/queue/scan-queue.ts";
import type { Acceptance } from "@waymark/shared/scans/accept/acceptance.ts";
import {
  type AcceptOutcome,
  parseChunkIds,
  type ScanToAccept,
} from "@waymark/shared/scans/accept/queries.ts";
import type { ChunkedScan } from "@waymark/shared/scans/content/chunked-scan.ts";
import type { ContentId } from "@waymark/shared/scans/content/content-id.ts";
import type { ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { v7 as uuidv7 } from "uuid";
import { requestInProgress } from "../lib/idempotency-key.ts";
import type { IngestPath } from "../lib/request-context.ts";
import type { DailyQuota } from "./daily-quota.ts";
import type { LastServices } from "./last-services.ts";
import { NOTHING_SENT, readScan, type ScanInput, sendChunks } from "./read-scan.ts";
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
  lastServices: LastServices;
}

interface Ingested {
  answer: Omit<ScanIngestionResult, "resultUrl">;
  path: IngestPath;
}

/** Content, missing chunks, a permission; and how often a lost race (a service, a key, a chunk came or went) is run again. */
const ATTEMPTS_MAX = 8;

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
  const { actor } = request;
  const { accept } = dependencies.acceptance;
  const lastService = dependencies.lastServices.get(actor.apiKeyId);
  const bodyHash = hashBody(request);
  let grant = grantFor(actor, { lastService });
  // Of a known body nothing is stored, so the bytes that were sent are what it costs.
  let quota = request.quotaOf(request.body.byteLength);
  let body = request.body;
  let input: ScanInput | undefined;

  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const counted = quota?.counted ?? null;
    const { scan = null, sent = NOTHING_SENT } = input ?? {};
    const run = { ...describeRun(request, bodyHash), scanRunId: uuidv7(), grant, scan, sent, counted };
    // A used-up day refuses new scans, without asking; what an idempotency key gives again is none.
    if (scan !== null || request.idempotencyKey === null) quota?.assertRoom();
    const outcome = await (quota?.accept(accept(run)) ?? accept(run));
    switch (outcome.outcome) {
      case "completed":
      case "accepted":
        dependencies.lastServices.set(actor.apiKeyId, { id: outcome.serviceId, name: outcome.serviceName });
        if (outcome.outcome === "accepted")
          dependencies.announce({ organizationId: actor.organizationId, scanRunId: run.scanRunId });
        for (const read of new Set([request.body, body])) detachOwnedBuffer(read);
        return { answer: toAnswer(outcome, outcome.outcome), path: scan === null ? "repeated" : "new" };
      case "replayed":
        // A repetition needs what its first time needed.
        assertMayScan(actor, outcome.serviceIsNew ? { ...outcome, serviceId: null } : outcome);
        return {
          answer: toAnswer(outcome, outcome.unchanged === null ? "accepted" : "completed"),
          path: "replayed",
        };
      case "content_needed": {
        quota?.assertRoom();
        body = await request.decodeBody();
        quota = request.quotaOf(body.byteLength);
        input = readScan(body);
        const { name: serviceName } = input.scan.description.service;
        grant = grantFor(actor, { serviceName, lastService });
        if (outcome.baseChunks !== null && lastService?.name === serviceName)
          input = await sendChunks(
            body,
            input,
            withoutChunks(input.scan.content, parseChunkIds(outcome.baseChunks)),
          );
        break;
      }
      case "chunks_needed":
        if (input !== undefined)
          input = await sendChunks(
            body,
            input,
            new Set([...input.sent.chunks, ...parseChunkIds(outcome.missingChunks)]),
          );
        break;
      case "permission_needed":
        assertMayScan(actor, outcome);
        grant =
          outcome.serviceId === null
            ? { ...grant, mayCreate: true }
            : { ...grant, serviceId: outcome.serviceId };
        break;
      case "key_used":
        throw keyReused();
      case "in_progress":
        throw requestInProgress();
      case "locked":
      case "conflict":
        break;
    }
  }
  throw requestInProgress();
}

/** Compressed bytes are another body when they are sent as plain ones. */
function hashBody({ body, isCompressed }: IngestRequest): Buffer {
  const bodyHash = hash("sha256", body, "buffer");
  return isCompressed ? hash("sha256", Buffer.concat([Buffer.from("gzip"), bodyHash]), "buffer") : bodyHash;
}

function describeRun(
  request: IngestRequest,
  bodyHash: Buffer,
): Omit<ScanToAccept, "scanRunId" | "grant" | "scan" | "sent" | "counted"> {
  const { actor, idempotencyKey, promote, scannedAt, traceParent } = request;
  return {
    organizationId: actor.organizationId,
    createdByKeyId: actor.apiKeyId,
    bodyHash,
    idempotencyKey,
    promote,
    scannedAt,
    traceParent,
  };
}

function withoutChunks(
  { endpointChunks, findingChunks }: ChunkedScan,
  stored: ReadonlySet<ContentId>,
): Set<ContentId> {
  return new Set([...endpointChunks, ...findingChunks].filter((id) => !stored.has(id)));
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
