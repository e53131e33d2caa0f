import { createHash } from "node:crypto";
import { type Actor, authorizeAll } from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import type { HotPool } from "@waymark/shared/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { ScanJob } from "@waymark/shared/queue/scan-queue.ts";
import { acceptScanRun, findScanTarget, type ScanTarget } from "@waymark/shared/scans/accept/queries.ts";
import { encodePayload } from "@waymark/shared/scans/payload-encoding.ts";
import type { ScanIngestionPayload, ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { v7 as uuidv7 } from "uuid";

export interface IngestRequest {
  actor: Actor;
  payload: ScanIngestionPayload;
  /** The decoded body as it came: what is stored. */
  body: Buffer;
  idempotencyKey: string | null;
  scannedAt: Date | null;
  promote: boolean;
}

export type IngestAnswer = Omit<ScanIngestionResult, "resultUrl">;

/** How often a lost race (the service or the idempotency key appeared meanwhile) is looked at again. */
const LOOKS_MAX = 5;

/**
 * Accepts a scan: stores its run and payload in one statement and announces it to the workers. When this returns,
 * the scan is durable.
 *
 * @throws AppError `permission_denied`, `idempotency_key_reused` or `request_in_progress`
 */
export async function ingestScan(
  dependencies: { pool: HotPool; announce: (job: ScanJob) => void },
  request: IngestRequest,
): Promise<IngestAnswer> {
  const { pool, announce } = dependencies;
  const bodyHash = createHash("sha256").update(request.body).digest();
  let encoded: Awaited<ReturnType<typeof encodePayload>> | undefined;

  for (let look = 0; look < LOOKS_MAX; look++) {
    const target = await findScanTarget(pool, {
      organizationId: request.actor.organizationId,
      serviceName: request.payload.service.name,
      idempotencyKey: request.idempotencyKey,
    });
    authorizeScan(request, target);
    if (target.replay !== null) return replay(request, target.replay, bodyHash);

    encoded ??= await encodePayload(request.body);
    const run = newScanRun(request, target, { ...encoded, bodyHash });
    const accepted = await acceptScanRun(pool, run);
    if (accepted.outcome === "in_progress") throw inProgress();
    if (accepted.outcome !== "accepted") continue;

    announce({ organizationId: run.organizationId, scanRunId: run.scanRunId });
    return answer(request, { ...run, createdAt: accepted.createdAt });
  }
  throw inProgress();
}

/** Every permission the scan needs, held against what it would touch. A repetition needs what its first time did. */
function authorizeScan(request: IngestRequest, target: ScanTarget): void {
  const creates = target.replay === null ? target.serviceId === null : target.replay.serviceCreated;
  const needed: Permission[] = ["scans:create", creates ? "services:create" : "services:update"];
  if (request.payload.endpoints.length > 0) needed.push("endpoints:write");
  authorizeAll(request.actor, needed, {
    serviceName: request.payload.service.name,
    // A service that does not exist yet has no id that a key could be bound to.
    ...(creates || target.serviceId === null ? {} : { serviceId: target.serviceId }),
  });
}

function newScanRun(
  request: IngestRequest,
  target: ScanTarget,
  encoded: { body: Buffer; bodyEncoding: "zstd" | "identity"; bodyHash: Buffer },
) {
  const { actor, payload } = request;
  return {
    organizationId: actor.organizationId,
    scanRunId: uuidv7(),
    serviceId: target.serviceId ?? uuidv7(),
    serviceName: payload.service.name,
    serviceIsNew: target.serviceId === null,
    spec: payload.spec,
    endpointCount: payload.endpoints.length,
    findingCount: payload.findings.length,
    promote: request.promote,
    scannedAt: request.scannedAt,
    createdByKeyId: actor.apiKeyId,
    ...encoded,
    bodyBytes: request.body.byteLength,
    idempotencyKey: request.idempotencyKey,
  };
}

function replay(
  request: IngestRequest,
  first: NonNullable<ScanTarget["replay"]>,
  bodyHash: Buffer,
): IngestAnswer {
  if (!first.bodyHash.equals(bodyHash)) {
    throw new AppError(
      "idempotency_key_reused",
      "This Idempotency-Key was used with another body. Use a new key for a new scan.",
    );
  }
  return answer(request, first);
}

function answer(
  { payload }: IngestRequest,
  run: { scanRunId: string; serviceId: string; createdAt: Date },
): IngestAnswer {
  return {
    scanRunId: run.scanRunId,
    serviceId: run.serviceId,
    status: "accepted",
    endpointCount: payload.endpoints.length,
    findingCount: payload.findings.length,
    unchanged: false,
    createdAt: run.createdAt.toISOString(),
  };
}

function inProgress(): AppError {
  return new AppError(
    "request_in_progress",
    "A request with this Idempotency-Key is still in progress. Try again shortly.",
    { data: { retryAfterSeconds: 1 } },
  );
}
