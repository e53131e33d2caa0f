import { setTimeout as sleep } from "node:timers/promises";
import { snapshotId } from "@waymark/shared/scans/persist/snapshot-rows.ts";
import type { ScanIngestionPayload, ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { createHttpClient } from "../../support/http-client.ts";
import { scanPayload } from "../../support/scan-payload.ts";
import type { Organization } from "../../support/stack.ts";
import { createRandom } from "./scale.ts";

const SERVICES = 6;
/** Every second scan repeats one of so few contents, as in a fleet; the others are new and need a worker. */
const REPEATED_CONTENTS = 30;
const GIVE_UP_MS = 90_000;

/** One scan as a client means it, however often it had to be sent. */
export interface SentScan {
  /** Its `Scanned-At`, which no other scan has: what is stored is found by it. */
  scannedAt: string;
  organizationId: string;
  serviceName: string;
  snapshotId: string;
  endpointCount: number;
  findingCount: number;
  /** With an Idempotency-Key it is sent until it has its 201; without one, once. */
  retried: boolean;
  /** The run that the 201 named; null without a 201. */
  scanRunId: string | null;
}

export interface ScanStream {
  /** Sends no more, waits for those under way, and returns all. */
  stop(): Promise<SentScan[]>;
  /** How often each status was answered; `0` is no answer at all. */
  statuses(): Record<string, number>;
  /** Answers that no fault excuses, whole. */
  wrongAnswers(): readonly string[];
}

interface StreamOptions {
  baseUrls: readonly [string, ...string[]];
  organizations: readonly [Organization, ...Organization[]];
  clients: number;
  /** Between two scans of one client. */
  pauseMs: number;
}

/** Clients that submit scans to any of several apis until they are stopped. */
export function startScanStream(options: StreamOptions): ScanStream {
  const sent: SentScan[] = [];
  const statuses: Record<string, number> = {};
  const wrong: string[] = [];
  const random = createRandom("stream");
  const firstMs = Date.now() - 24 * 3_600_000;
  const end = new AbortController();
  let next = 0;

  const client = async () => {
    while (!end.signal.aborted) {
      const number = next++;
      const organization = random.pick(options.organizations);
      const content = random.next() < 0.5 ? random.integer(1, REPEATED_CONTENTS) : REPEATED_CONTENTS + number;
      const payload = pickPayload(content, random.integer(1, SERVICES));
      const scan = describe(payload, organization, new Date(firstMs + number), random.next() < 0.7);
      sent.push(scan);
      await submit(scan, payload, organization);
      await sleep(options.pauseMs * random.next());
    }
  };

  async function submit(scan: SentScan, payload: ScanIngestionPayload, { apiKey }: Organization) {
    const headers: Record<string, string> = { "scanned-at": scan.scannedAt };
    if (scan.retried) headers["idempotency-key"] = `scan-${scan.scannedAt}`;
    const deadline = Date.now() + GIVE_UP_MS;
    do {
      const http = createHttpClient(random.pick(options.baseUrls), { key: apiKey });
      const answer = await http
        .post<ScanIngestionResult>("/api/scans/ingest", payload, { headers })
        .catch(() => null);
      const status = answer?.status ?? 0;
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (answer?.status === 201) {
        scan.scanRunId = answer.body.scanRunId;
        return;
      }
      const excused =
        status === 0 || status === 409 || (status === 503 && answer?.headers.has("retry-after"));
      if (excused !== true) wrong.push(`${status} ${answer?.text}`);
      await sleep(50 + 100 * random.next());
    } while (scan.retried && Date.now() < deadline);
  }

  const clients = Array.from({ length: options.clients }, client);
  return {
    async stop() {
      end.abort();
      await Promise.all(clients);
      return sent;
    },
    statuses: () => statuses,
    wrongAnswers: () => wrong,
  };
}

function pickPayload(content: number, service: number): ScanIngestionPayload {
  return scanPayload({
    serviceName: `service ${service}`,
    // Mostly small, some large.
    endpoints: content % 25 === 0 ? 300 : content % 7,
    findings: content % 5,
    seed: `content ${content}`,
  });
}

function describe(
  payload: ScanIngestionPayload,
  { organizationId }: Organization,
  scannedAt: Date,
  retried: boolean,
): SentScan {
  return {
    scannedAt: scannedAt.toISOString(),
    organizationId,
    serviceName: payload.service.name,
    snapshotId: snapshotId(payload).toString("hex"),
    endpointCount: payload.endpoints.length,
    findingCount: payload.findings.length,
    retried,
    scanRunId: null,
  };
}
