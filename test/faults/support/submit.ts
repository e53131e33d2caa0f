import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { chunkedContent } from "@waymark/test-support/scans/chunked-payload.ts";
import type { ScanIngestionPayload, ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import type { HttpClient } from "@waymark/test-support/http-client.ts";
import { countUnfinished } from "./recount.ts";
import type { SentScan } from "./scan-stream.ts";

/** The command's limit, in cli/src/http/sizes.ts. */
const GZIP_ABOVE_BYTES = 64 * 1024;

/** Runs `work` for 0 to `total` - 1, at most `atOnce` at a time. */
export async function inParallel(
  { total, atOnce }: { total: number; atOnce: number },
  work: (number: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const runner = async () => {
    while (next < total) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, runner));
}

const firstMs = Date.now() - 24 * 3_600_000;
let scans = 0;

/**
 * Submits a scan with a unique `Scanned-At`, so that the stored run can be found.
 *
 * @returns the sent scan, the status of the response, and whether it has `Retry-After`
 */
export async function submitScan(
  { http, organizationId }: { http: HttpClient; organizationId: string },
  payload: ScanIngestionPayload,
  sent: SentScan = describeScan(payload, organizationId),
): Promise<{ sent: SentScan; status: number; retryAfter: string | null; text: string }> {
  const answer = await http.post<ScanIngestionResult>("/api/scans/ingest", payload, {
    headers: { "scanned-at": sent.scannedAt },
  });
  if (answer.status === 201) sent.scanRunId = answer.body.scanRunId;
  return { sent, status: answer.status, retryAfter: answer.headers.get("retry-after"), text: answer.text };
}

/** Like the command: with an Idempotency-Key, and a large body compressed. Sent once. */
export async function submitAsCommand(
  { http, organizationId }: { http: HttpClient; organizationId: string },
  payload: ScanIngestionPayload,
): Promise<{ sent: SentScan; status: number; text: string }> {
  const sent = describeScan(payload, organizationId);
  const body = Buffer.from(JSON.stringify(payload));
  const isLarge = body.length > GZIP_ABOVE_BYTES;
  const headers = {
    "content-type": "application/json",
    "idempotency-key": crypto.randomUUID(),
    "scanned-at": sent.scannedAt,
    ...(isLarge ? { "content-encoding": "gzip" } : {}),
  };
  const answer = await http.post<ScanIngestionResult>("/api/scans/ingest", isLarge ? gzipSync(body) : body, {
    headers,
  });
  if (answer.status === 201) sent.scanRunId = answer.body.scanRunId;
  return { sent, status: answer.status, text: answer.text };
}

function describeScan(payload: ScanIngestionPayload, organizationId: string): SentScan {
  return {
    scannedAt: new Date(firstMs + scans++).toISOString(),
    organizationId,
    serviceName: payload.service.name,
    snapshotId: chunkedContent(payload).snapshotId,
    endpointCount: payload.endpoints.length,
    findingCount: payload.findings.length,
    retried: true,
    scanRunId: null,
  };
}

/** @returns after how many milliseconds no run was unfinished; the limit, when some still are */
export async function untilAllFinal(
  database: { databaseUrl: string },
  { limitMs }: { limitMs: number },
): Promise<number> {
  const start = Date.now();
  while (Date.now() - start < limitMs) {
    if ((await countUnfinished(database)) === 0) break;
    await sleep(100);
  }
  return Date.now() - start;
}
