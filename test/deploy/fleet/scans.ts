import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import type { Fleet } from "./fleet.ts";

const ATTEMPTS_MAX = 20;
const PAUSE_MS = 250;

export interface SentScan {
  scanRunId: string;
  /** 1, unless an api or its connection was lost meanwhile. */
  attempts: number;
  tookMs: number;
}

export interface ScanOptions {
  /** The first part of the services' names. Scans of another one have other contents. */
  service?: string;
  /** How many services send scans, in turns. */
  services?: number;
  /** How many are sent at a time. */
  concurrency?: number;
}

/** Sends a scan of new content until it is accepted, as the command does: with one Idempotency-Key. */
export async function sendScan(
  { http }: Fleet,
  index: number,
  { service = "service", services = 20 }: ScanOptions = {},
): Promise<SentScan> {
  const body = scanPayload({
    serviceName: `${service}-${index % services}`,
    endpoints: 40,
    findings: 10,
    seed: service === "service" ? `${index}` : `${service}-${index}`,
  });
  const headers = { "idempotency-key": randomUUID() };
  const started = performance.now();
  let last = "";
  for (let attempts = 1; attempts <= ATTEMPTS_MAX; attempts++) {
    const answer = await http
      .post<{ scanRunId: string }>("/api/scans/ingest", body, { headers })
      .catch((error: unknown) => ({ status: 0, text: String(error), body: undefined }));
    if (answer.status === 201 && answer.body !== undefined) {
      return { scanRunId: answer.body.scanRunId, attempts, tookMs: performance.now() - started };
    }
    last = `${answer.status} ${answer.text}`;
    await sleep(PAUSE_MS);
  }
  throw new Error(`A scan was refused ${ATTEMPTS_MAX} times, at last with ${last}`);
}

/** Sends so many scans, some at a time. */
export async function sendScans(fleet: Fleet, count: number, options: ScanOptions = {}): Promise<SentScan[]> {
  const sent: SentScan[] = [];
  let next = 0;
  const send = async () => {
    while (next < count) sent.push(await sendScan(fleet, next++, options));
  };
  await Promise.all(Array.from({ length: options.concurrency ?? 8 }, send));
  return sent;
}

/** How many of these runs have which status. */
export async function countByStatus(
  fleet: Fleet,
  sent: readonly Pick<SentScan, "scanRunId">[],
): Promise<Record<string, number>> {
  const ids = sent.map(({ scanRunId }) => `'${scanRunId}'`).join(",");
  const rows = await fleet.sql(`SELECT status, count(*) FROM scan_runs WHERE id IN (${ids}) GROUP BY status`);
  const pairs = rows.split("\n").map((row) => row.split("|"));
  return Object.fromEntries(pairs.map(([status = "", count]) => [status, Number(count)]));
}

/** @returns how many are completed in the end, and after how long all of them were */
export async function untilCompleted(
  fleet: Fleet,
  sent: readonly Pick<SentScan, "scanRunId">[],
  { waitMs = 120_000 } = {},
): Promise<{ completed: number; tookMs: number }> {
  const started = performance.now();
  for (;;) {
    const { completed = 0 } = await countByStatus(fleet, sent);
    const tookMs = Math.round(performance.now() - started);
    if (completed === sent.length || tookMs > waitMs) return { completed, tookMs };
    await sleep(500);
  }
}
