import { hash } from "node:crypto";
import { type Actor, denial, scopeAllows } from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import type { HotPool } from "@waymark/shared/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { ScanJob } from "@waymark/shared/queue/scan-queue.ts";
import { freeReserved } from "@waymark/shared/lib/free-bytes.ts";
import type { Acceptance } from "@waymark/shared/scans/accept/acceptance.ts";
import {
  type AcceptOutcome,
  acceptRepeatedScanRun,
  findScanReceipt,
  findScanService,
  type NewScanRun,
  type Replay,
  type ScanReceipt,
} from "@waymark/shared/scans/accept/queries.ts";
import type { DayUsage } from "@waymark/shared/scans/accept/usage/queries.ts";
import { type EncodedPayload, encodePayload } from "@waymark/shared/scans/payload-encoding.ts";
import { packRows } from "@waymark/shared/scans/persist/snapshot-rows.ts";
import type { ScanIngestionPayload, ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { v7 as uuidv7 } from "uuid";
import { requestInProgress } from "../lib/idempotency-key.ts";
import type { IngestPath } from "../lib/request-notes.ts";
import type { DailyQuota } from "./daily-quota.ts";

export interface IngestRequest {
  actor: Actor;
  /** The decoded body as it came: what a repetition is recognized by. */
  body: Buffer;
  /** Parses and validates the body; called only where no equal body is known. */
  readPayload: () => ScanIngestionPayload;
  idempotencyKey: string | null;
  scannedAt: Date | null;
  promote: boolean;
  /** Where the trace of this scan began, for the worker to join; undefined where it is not traced. */
  traceParent: string | undefined;
  /** Its organization's limits per day; null where there are none. */
  quota: DailyQuota | null;
}

interface IngestDependencies {
  pool: HotPool;
  acceptance: Acceptance;
  announce: (job: ScanJob) => void;
}

type IngestAnswer = Omit<ScanIngestionResult, "resultUrl">;

interface Ingested {
  answer: IngestAnswer;
  path: IngestPath;
}

/** How often a lost race (the service, the key or the receipt came or went meanwhile) is looked at again. */
const LOOKS_MAX = 5;

/**
 * Accepts a scan. When this returns, the scan is durable: a body that is known is complete already, another waits
 * in the database and was announced to the workers.
 *
 * @throws AppError `permission_denied`, `idempotency_key_reused`, `request_in_progress`, `rate_limited`, or what
 * `readPayload` throws
 */
export async function ingestScan(
  dependencies: IngestDependencies,
  request: IngestRequest,
): Promise<Ingested> {
  const { pool } = dependencies;
  const { organizationId } = request.actor;
  const bodyHash = hash("sha256", request.body, "buffer");
  const slowPath = createSlowPath(dependencies, request, bodyHash);
  let receiptIsUsable = true;

  // The common case in one statement. Who is bound to some services, or sends an idempotency key, is looked at first.
  if (request.idempotencyKey === null && mayScanEveryService(request.actor)) {
    const answer = await takeKnown(dependencies, request, bodyHash);
    if (answer !== null) return { answer, path: "repeated" };
    const taken = await slowPath();
    if (taken.outcome === "accepted") return { answer: taken.answer, path: "new" };
  }

  for (let look = 0; look < LOOKS_MAX; look++) {
    const { idempotencyKey } = request;
    const { receipt, replay } = await findScanReceipt(pool, { organizationId, bodyHash, idempotencyKey });
    if (replay !== null) return { answer: replayAnswer(request, replay, bodyHash), path: "replayed" };

    const path = receipt !== null && receiptIsUsable ? "repeated" : "new";
    const taken =
      receipt !== null && path === "repeated"
        ? await takeRepeated(pool, request, receipt, bodyHash)
        : await slowPath();
    if (taken.outcome === "accepted") return { answer: taken.answer, path };
    if (taken.outcome === "in_progress") throw requestInProgress();
    // A receipt that failed once is not tried again: its snapshot may be on its way out.
    receiptIsUsable = false;
  }
  throw requestInProgress();
}

type Taken = { outcome: "accepted"; answer: IngestAnswer } | { outcome: "look_again" | "in_progress" };

async function takeKnown(
  { acceptance }: IngestDependencies,
  request: IngestRequest,
  bodyHash: Buffer,
): Promise<IngestAnswer | null> {
  const scanRunId = uuidv7();
  const run = { ...acceptOptions(request, bodyHash), scanRunId };
  const known = await withinQuota(request, () => acceptance.acceptKnown(run));
  return known === null ? null : toAnswer({ ...known, scanRunId, status: "completed" });
}

async function takeRepeated(
  pool: HotPool,
  request: IngestRequest,
  receipt: ScanReceipt,
  bodyHash: Buffer,
): Promise<Taken> {
  authorizeScan(request.actor, receipt);
  const scanRunId = uuidv7();
  const run = { ...acceptOptions(request, bodyHash), scanRunId, serviceId: receipt.serviceId };
  const outcome = await withinQuota(request, () => acceptRepeatedScanRun(pool, run));
  return toTaken(outcome, { ...receipt, scanRunId, status: "completed" });
}

/** The path of a body that is not known. What it works out, it keeps for the next look. */
function createSlowPath(
  { pool, acceptance, announce }: IngestDependencies,
  request: IngestRequest,
  bodyHash: Buffer,
) {
  let read: Promise<NewScan> | undefined;

  return async (): Promise<Taken> => {
    request.quota?.assertRoom();
    read ??= readScan(request, bodyHash);
    const scan = await read;
    const { organizationId } = request.actor;
    const service: NewScanRun["service"] = mayScanEveryService(request.actor)
      ? "find"
      : await findService(pool, request.actor, scan);
    const run = {
      ...acceptOptions(request, bodyHash),
      ...scan,
      service,
      newServiceId: uuidv7(),
      scanRunId: uuidv7(),
      traceParent: request.traceParent,
    };
    const outcome = await withinQuota(request, () => acceptance.acceptNew(run));
    if (outcome.outcome === "accepted") {
      freeReserved(scan.body);
      announce({ organizationId, scanRunId: run.scanRunId });
    }
    return toTaken(outcome, { ...scan, scanRunId: run.scanRunId, status: "accepted" });
  };
}

type NewScan = EncodedPayload &
  Pick<NewScanRun, "serviceName" | "spec" | "endpointCount" | "findingCount" | "bodyBytes">;

/** What is kept of a new body: its rows as the worker will hand them to Postgres, and no object of each item. */
async function readScan(request: IngestRequest, bodyHash: Buffer): Promise<NewScan> {
  const payload = request.readPayload();
  const packed = packRows(payload, { bodyHash });
  const scan = {
    serviceName: payload.service.name,
    spec: payload.spec,
    endpointCount: payload.endpoints.length,
    findingCount: payload.findings.length,
    bodyBytes: packed.byteLength,
  };
  const encoded = await encodePayload(packed);
  freeReserved(packed);
  return { ...scan, ...encoded };
}

/** @throws AppError `permission_denied` where the actor may not scan into what it finds */
async function findService(
  pool: HotPool,
  actor: Actor,
  scan: { serviceName: string; endpointCount: number },
): Promise<{ id: string } | "new"> {
  const { organizationId } = actor;
  const id = await findScanService(pool, { organizationId, serviceName: scan.serviceName });
  authorizeScan(actor, { ...scan, serviceId: id });
  return id === null ? "new" : { id };
}

function acceptOptions(request: IngestRequest, bodyHash: Buffer) {
  return {
    organizationId: request.actor.organizationId,
    createdByKeyId: request.actor.apiKeyId,
    bodyHash,
    promote: request.promote,
    scannedAt: request.scannedAt,
    idempotencyKey: request.idempotencyKey,
    counted: request.quota?.counted ?? null,
  };
}

async function withinQuota<T extends { usage?: DayUsage } | null>(
  { quota }: IngestRequest,
  accept: () => Promise<T>,
): Promise<T> {
  if (quota === null) return accept();
  quota.assertRoom();
  return quota.accept(accept());
}

/** Whether no service can be named that the actor may not create or scan into: its scopes are bound by nothing. */
function mayScanEveryService({ scopes }: Actor): boolean {
  const needed: Permission[] = ["scans:create", "services:create", "services:update", "endpoints:write"];
  return needed.every((permission) => scopes.some((scope) => scopeAllows(scope, permission, {})));
}

/**
 * Every permission the scan needs, checked against what it touches: the same on the fast path as on the slow one. A
 * null `serviceId` means that the scan creates its service.
 *
 * @throws AppError `permission_denied`, in words that do not tell whether there is such a service
 */
function authorizeScan(
  actor: Actor,
  scan: { serviceId: string | null; serviceName: string; endpointCount: number },
): void {
  const { serviceName } = scan;
  // A service that does not exist yet has no id that a key could be bound to.
  const service = scan.serviceId === null ? { serviceName } : { serviceName, serviceId: scan.serviceId };
  const always: Permission[] =
    scan.endpointCount > 0 ? ["scans:create", "endpoints:write"] : ["scans:create"];
  const error = denial(
    actor,
    [...always, scan.serviceId === null ? "services:create" : "services:update"],
    service,
  );
  if (error === undefined) return;
  throw denial(actor, [...always, "services:create", "services:update"], { serviceName }) ?? error;
}

/** A repetition needs what its first time needed, and gets that answer again. */
function replayAnswer(request: IngestRequest, first: Replay, bodyHash: Buffer): IngestAnswer {
  // First: of another body, perhaps of another team, only the reuse concerns the caller, not what it may do there.
  if (!first.bodyHash.equals(bodyHash)) {
    throw new AppError(
      "idempotency_key_reused",
      "This Idempotency-Key was used with another body. Use a new key for a new scan.",
    );
  }
  authorizeScan(request.actor, first.serviceCreated ? { ...first, serviceId: null } : first);
  return toAnswer(first);
}

function toTaken(
  outcome: AcceptOutcome,
  run: { endpointCount: number; findingCount: number; scanRunId: string; status: "accepted" | "completed" },
): Taken {
  if (outcome.outcome !== "accepted") return outcome;
  return { outcome: "accepted", answer: toAnswer({ ...run, ...outcome }) };
}

function toAnswer(run: Omit<Replay, "bodyHash" | "serviceCreated" | "serviceName">): IngestAnswer {
  return {
    scanRunId: run.scanRunId,
    serviceId: run.serviceId,
    status: run.status,
    endpointCount: run.endpointCount,
    findingCount: run.findingCount,
    unchanged: run.unchanged,
    createdAt: run.createdAt.toISOString(),
  };
}
