import { setTimeout as sleep } from "node:timers/promises";
import { chunkedContent } from "@waymark/test-support/scans/chunked-payload.ts";
import type { ScanIngestionPayload, ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import type { Organization } from "@waymark/test-support/stack.ts";
import { createRandom } from "@waymark/test-support/scale.ts";

const SERVICES = 6;
/** A service's items, in groups with versions: a few that repeat, and new ones that need a worker. */
const GROUPS = 5;
const KEPT_VERSIONS = 3;
/** Earlier contents of each service, to return to. */
const EARLIER_CONTENTS = 6;
const GIVE_UP_MS = 90_000;

/** One scan of a client, regardless of how often it was sent. */
export interface SentScan {
  /** Its unique `Scanned-At`, by which its run is found. */
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
  /** Stops sending, waits for pending requests, and returns all scans. */
  stop(): Promise<SentScan[]>;
  /** The number of responses by status; `0` is no response. */
  statuses(): Record<string, number>;
  /** The number of scans so far, including those without a response yet. */
  sent(): readonly SentScan[];
  /** Complete responses that no fault explains. */
  wrongAnswers(): readonly string[];
}

interface StreamOptions {
  baseUrls: readonly [string, ...string[]];
  organizations: readonly [Organization, ...Organization[]];
  clients: number;
  /** The pause between two scans of one client. */
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

  const histories = new Map<string, (readonly string[])[]>();

  /** The service's next content: mostly a change of one group, sometimes an earlier content. */
  function evolve({ organizationId }: Organization, service: number, number: number): ScanIngestionPayload {
    const key = `${organizationId} ${service}`;
    const history = histories.get(key) ?? [Array.from({ length: GROUPS }, () => "0")];
    histories.set(key, history);
    const index = random.next() < 0.25 ? random.integer(0, history.length - 1) : history.length - 1;
    const groups = [...(history[index] ?? [])];
    if (random.next() < 0.9) {
      const kept = random.integer(1, KEPT_VERSIONS);
      groups[random.integer(0, GROUPS - 1)] = random.next() < 0.5 ? `${kept}` : `new ${number}`;
    }
    history.push(groups);
    if (history.length > EARLIER_CONTENTS) history.shift();
    return payloadOf(service, groups);
  }

  const client = async () => {
    while (!end.signal.aborted) {
      const number = next++;
      const organization = random.pick(options.organizations);
      const payload = evolve(organization, random.integer(1, SERVICES), number);
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
    sent: () => sent,
    wrongAnswers: () => wrong,
  };
}

function payloadOf(service: number, groups: readonly string[]): ScanIngestionPayload {
  // Mostly small, one large; the first is sometimes empty.
  const size = service === SERVICES ? 60 : service + 1;
  const payload = scanPayload({
    serviceName: `service ${service}`,
    endpoints: size * GROUPS,
    findings: 2 * GROUPS,
    seed: `of ${service}`,
  });
  const versionOf = (index: number, groupSize: number) => groups[Math.floor(index / groupSize)] ?? "";
  return {
    ...payload,
    endpoints: payload.endpoints.map((endpoint, index) => ({ ...endpoint, summary: versionOf(index, size) })),
    findings: payload.findings.map((finding, index) => ({ ...finding, message: versionOf(index, 2) })),
  };
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
    snapshotId: chunkedContent(payload).snapshotId,
    endpointCount: payload.endpoints.length,
    findingCount: payload.findings.length,
    retried,
    scanRunId: null,
  };
}
