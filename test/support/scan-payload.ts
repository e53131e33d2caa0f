import type {
  NormalizedEndpoint,
  NormalizedFinding,
  ScanIngestionPayload,
} from "@waymark/shared/scans/schema.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"] as const;
const SEVERITIES = ["info", "low", "medium", "high", "critical"] as const;

/** Text that changes if something is escaped, trimmed or cut by bytes. */
const AWKWARD = [
  `"quoted" \\ back`,
  " spaces ",
  "é😀漢",
  "line\nbreak\ttab",
  "{a,b}",
  "'; --",
  "",
  "null",
  "\u2028",
];

/** A scan of the given size, with different items except for some duplicates, and difficult strings. */
export function scanPayload(options: {
  serviceName?: string;
  endpoints?: number;
  findings?: number;
  /** Distinguishes the content from others. */
  seed?: string;
}): ScanIngestionPayload {
  const { serviceName = "orders", endpoints = 3, findings = 2, seed = "" } = options;
  return {
    service: { name: serviceName },
    spec: { hash: "0123456789abcdef".repeat(4), format: "openapi", version: "1.2.3", title: "Orders" },
    endpoints: Array.from({ length: endpoints }, (_, index) => endpoint(index, seed)),
    findings: Array.from({ length: findings }, (_, index) => finding(index, seed)),
  };
}

/** A scan of exactly this many bytes of JSON, filled up with tags, which have no length limit. */
export function largeScan({ bytes }: { bytes: number }): ScanIngestionPayload {
  const scan = scanPayload({ serviceName: "large", endpoints: 2000, findings: 500 });
  const missing = bytes - Buffer.byteLength(JSON.stringify(scan)) - '""'.length;
  const [first] = scan.endpoints;
  if (first === undefined || missing < 0) throw new Error(`a scan of ${bytes} bytes can't be made`);
  first.tags = ["x".repeat(missing)];
  return scan;
}

function endpoint(index: number, seed: string): NormalizedEndpoint {
  // Every 50th is the same as the one before it: duplicates are kept.
  const i = index % 50 === 49 ? index - 1 : index;
  return {
    method: METHODS[i % METHODS.length] ?? "GET",
    path: `/v1/things/${i}/{id}${seed}`,
    operationId: i % 3 === 0 ? null : `op${i}${AWKWARD[i % AWKWARD.length]}`,
    tags: AWKWARD.slice(0, i % 5),
    summary: i % 4 === 0 ? null : `${AWKWARD[i % AWKWARD.length]} ${i}`,
  };
}

function finding(index: number, seed: string): NormalizedFinding {
  return {
    code: `rule-${index % 7}`,
    severity: SEVERITIES[index % SEVERITIES.length] ?? "info",
    message: `${AWKWARD[index % AWKWARD.length]} ${index}${seed}`,
    method: index % 2 === 0 ? null : "GET",
    path: index % 3 === 0 ? null : `/v1/things/${index}`,
  };
}
