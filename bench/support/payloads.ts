import type {
  NormalizedEndpoint,
  NormalizedFinding,
  ScanIngestionPayload,
} from "@waymark/shared/scans/schema.ts";

export interface ScanSize {
  name: string;
  endpoints: number;
  findings: number;
}

export const MAX: ScanSize = { name: "max", endpoints: 2000, findings: 500 };
export const LARGE: ScanSize = { name: "large", endpoints: 500, findings: 100 };
export const TYPICAL: ScanSize = { name: "typical", endpoints: 120, findings: 20 };
export const SMALL: ScanSize = { name: "small", endpoints: 20, findings: 4 };

export interface ScanBody {
  bytes: Buffer;
  size: ScanSize;
}

// What is different from body to body stands in the template as a mark of the same length.
const MARK = "@mark@@@";
const SERVICE_MARK = "@srv@";
/** One endpoint in so many carries the mark: enough to make every body's content its own. */
const MARK_EVERY = 20;

/**
 * Makes bodies of one size by patching a template, so that a new one costs a copy and not a serialization: the load
 * generator shares the processors with what it measures. The same `content` gives the same bytes.
 */
export function createBodies(size: ScanSize): (content: number, service: number) => ScanBody {
  const template = Buffer.from(JSON.stringify(templatePayload(size)));
  const marks = offsetsOf(template, MARK);
  const [service] = offsetsOf(template, SERVICE_MARK);
  if (service === undefined) throw new Error("the template has no service mark");
  return (content, serviceNumber) => {
    const bytes = Buffer.from(template);
    const mark = content.toString(36).padStart(MARK.length, "0");
    for (const offset of marks) bytes.write(mark, offset, "latin1");
    bytes.write(serviceNumber.toString(36).padStart(SERVICE_MARK.length, "0"), service, "latin1");
    return { bytes, size };
  };
}

function offsetsOf(template: Buffer, mark: string): number[] {
  const offsets: number[] = [];
  for (let at = template.indexOf(mark); at !== -1; at = template.indexOf(mark, at + 1)) offsets.push(at);
  return offsets;
}

function templatePayload(size: ScanSize): ScanIngestionPayload {
  const random = createRandom(size.endpoints);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const words = (count: number) => Array.from({ length: count }, () => pick(WORDS)).join(" ");
  return {
    service: { name: `service-${SERVICE_MARK}` },
    spec: {
      hash: `${MARK}${"0123456789abcdef".repeat(4)}`.slice(0, 64),
      format: "openapi",
      version: "3.1.0",
      title: "Orders",
    },
    endpoints: Array.from({ length: size.endpoints }, (_, n) => endpoint(n, pick, words)),
    findings: Array.from({ length: size.findings }, (_, n) => finding(n, pick, words)),
  };
}

type Pick = <T>(items: readonly T[]) => T;
type Words = (count: number) => string;

function endpoint(n: number, pick: Pick, words: Words): NormalizedEndpoint {
  const [group, thing, part] = [pick(WORDS), pick(WORDS), pick(WORDS)];
  const mark = n % MARK_EVERY === 0 ? `/${MARK}` : "";
  const method = pick(METHODS);
  return {
    method,
    path: `/v1/${group}/{${group}Id}/${thing}-${n}/{${thing}Id}/${part}${mark}`,
    operationId: `${method.toLowerCase()}_${group}_${thing}_${part}_${n}`,
    tags: [group, thing],
    summary: words(11),
  };
}

function finding(n: number, pick: Pick, words: Words): NormalizedFinding {
  return {
    code: `operation-${pick(WORDS)}-${n % 40}`,
    severity: pick(SEVERITIES),
    message: n === 0 ? `${words(14)} ${MARK}` : words(14),
    method: pick(METHODS),
    path: `/v1/${pick(WORDS)}/{id}/${pick(WORDS)}-${n}`,
  };
}

/** A small seeded generator (mulberry32): the same numbers in every run. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const METHODS = ["GET", "GET", "GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const SEVERITIES = ["info", "low", "medium", "high", "critical"] as const;
const WORDS = (
  "account address agreement alert amount approval asset balance basket batch billing booking branch budget campaign " +
  "capture card carrier cart catalog channel charge claim contact contract country coupon credit currency customer " +
  "delivery deposit device discount dispute document domain entry event export fee file filter folder gateway group " +
  "history image import index inventory invoice item journal label ledger license limit line link listing location " +
  "member merchant message meter method note notice number offer operator option order owner package page partner " +
  "payment payout period plan policy price product profile project quote rate receipt record refund region release " +
  "report request review role route rule schedule segment session setting shipment stock store subscription supplier " +
  "task tax team template tenant ticket token total transfer unit update usage user variant vendor version wallet zone"
).split(" ");
