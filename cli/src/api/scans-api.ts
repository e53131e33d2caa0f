import { listBrokenJourneys } from "@waymark/shared/journey-coverage/operations.ts";
import { BrokenJourneys } from "@waymark/shared/journey-coverage/schema.ts";
import { joinRenamedParameters } from "@waymark/shared/scans/breaking-changes.ts";
import * as scanGates from "@waymark/shared/scans/gates/operations.ts";
import { ScanGatesOfRun, type ScanGatesPayload } from "@waymark/shared/scans/gates/schema.ts";
import * as operations from "@waymark/shared/scans/operations.ts";
import {
  ScanChanges,
  type ScanIngestionPayload,
  ScanIngestionResult,
  ScanRun,
} from "@waymark/shared/scans/schema.ts";
import { sourceHeadersOf } from "@waymark/shared/scans/source/headers.ts";
import type { SubmittedSource } from "@waymark/shared/scans/source/schema.ts";
import type { z } from "zod";
import { type ApiConnection, call, compressed, exchange, jsonRequestOf, understand } from "./api-client.ts";

/** The fields of an accepted scan that the command needs. The response may have more. */
const AcceptedScan = ScanIngestionResult.pick({
  scanRunId: true,
  status: true,
  endpointCount: true,
  findingCount: true,
  serviceId: true,
}).partial({ status: true, serviceId: true });
export type AcceptedScan = z.infer<typeof AcceptedScan>;

const FollowedRun = ScanRun.pick({ status: true, error: true });
export type FollowedRun = z.infer<typeof FollowedRun>;

export interface SubmitOptions {
  /** Ensures one run, however often this body arrives. */
  idempotencyKey: string;
  /** The time of the scan. Default: now. */
  scannedAt?: string;
  /** False stores the run without making it the service's current one. */
  promote?: boolean;
  source?: SubmittedSource | undefined;
}

/**
 * Submits a scan.
 * @throws {CliError} `scan ingestion failed`, with the server's message
 */
export async function submitScan(
  connection: ApiConnection,
  payload: ScanIngestionPayload,
  { idempotencyKey, scannedAt, promote, source = {} }: SubmitOptions,
): Promise<AcceptedScan> {
  const what = "scan ingestion";
  const request = jsonRequestOf(operations.ingestScan, what, {
    headers: {
      "idempotency-key": idempotencyKey,
      "scanned-at": scannedAt,
      "waymark-promote": promote === false ? "false" : undefined,
      ...sourceHeadersOf(source),
    },
    body: payload,
  });
  const smallest = compressed(request);
  let response = await exchange(connection, smallest);
  // If a server or proxy accepts no compressed bodies, the same request is sent uncompressed.
  if (response.status === 415 && smallest !== request) response = await exchange(connection, request);
  return understand(connection, { what, read: AcceptedScan, response });
}

/** Reads a scan run's status, and the reason if it failed. The server answers when the run is completed, after `waitSeconds` at the latest. */
export function getScanRun(
  connection: ApiConnection,
  { scanRunId, waitSeconds }: { scanRunId: string; waitSeconds: number },
): Promise<FollowedRun> {
  const reading = { what: "following the scan run", read: FollowedRun };
  return call(connection, operations.getScanRun, reading, { params: { scanRunId }, query: { waitSeconds } });
}

/** The fields of a comparison that gates need, so that older servers with fewer fields work too. */
const ComparedChanges = ScanChanges.pick({ scanRunId: true, against: true, endpoints: true, findings: true });
export type ComparedChanges = z.infer<typeof ComparedChanges>;

/** The changes of a completed run, compared with the service's current one. */
export async function getChanges(connection: ApiConnection, scanRunId: string): Promise<ComparedChanges> {
  const reading = { what: "comparing the scan run", read: ComparedChanges };
  const changes = await call(connection, operations.getScanRunChanges, reading, {
    params: { scanRunId },
    query: { against: "previous" },
  });
  return { ...changes, endpoints: joinRenamedParameters(changes.endpoints) };
}

/** Returns the journeys that call endpoints of the service's current run that a completed run lacks. */
export function getBrokenJourneys(connection: ApiConnection, scanRunId: string): Promise<BrokenJourneys> {
  const reading = { what: "asking for broken journeys", read: BrokenJourneys };
  return call(connection, listBrokenJourneys, reading, { params: { scanRunId } });
}

/** Stores which gates a run passed and failed. An older server has no such route. */
export async function putScanGates(
  connection: ApiConnection,
  scanRunId: string,
  verdict: ScanGatesPayload,
): Promise<void> {
  const what = "storing the result of the gates";
  const request = jsonRequestOf(scanGates.putScanGates, what, { params: { scanRunId }, body: verdict });
  const response = await exchange(connection, request);
  if (response.status === 404 || response.status === 405) return;
  understand(connection, { what, read: ScanGatesOfRun.pick({ scanRunId: true }), response });
}

/** Promotes a run to its service's current one. */
export async function promoteScanRun(connection: ApiConnection, scanRunId: string): Promise<void> {
  const reading = { what: "promoting the scan run", read: FollowedRun };
  await call(connection, operations.promoteScanRun, reading, { params: { scanRunId } });
}
