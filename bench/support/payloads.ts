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
  const pick: Pick = (items) => items[Math.floor(random() * items.length)] as (typeof items)[number];
  const endpoints: NormalizedEndpoint[] = [];
  while (endpoints.length < size.endpoints) endpoints.push(...resource(endpoints.length, pick));
  endpoints.length = size.endpoints;
  return {
    service: { name: `service-${SERVICE_MARK}` },
    spec: {
      hash: `${MARK}${"0123456789abcdef".repeat(4)}`.slice(0, 64),
      format: "openapi",
      version: "3.1.0",
      title: "Orders",
    },
    endpoints: endpoints.map((endpoint, n) =>
      n % MARK_EVERY === 0 ? { ...endpoint, path: `${endpoint.path}/${MARK}` } : endpoint,
    ),
    findings: Array.from({ length: size.findings }, (_, n) => finding(n, pick(endpoints), pick)),
  };
}

type Pick = <T>(items: readonly T[]) => T;

/**
 * The operations of one resource, as descriptions of large public APIs have them, and as compressible: those shrink to
 * an eighth or a ninth at zstd's level 1.
 */
function resource(n: number, pick: Pick): NormalizedEndpoint[] {
  const [group, thing, part] = [pick(WORDS), pick(WORDS), pick(WORDS)];
  const name = `${thing}-${part}`;
  const title = `${group}${capital(thing)}${capital(part)}${n}`;
  const all = `/v1/${group}s/{id}/${name}s-${n}`;
  const one = `${all}/{${part}_id}`;
  const of = () => `of a ${group} by ${pick(WORDS)}`;
  const operation = (method: NormalizedEndpoint["method"], verb: string, path: string, summary: string) => ({
    method,
    path,
    operationId: `${verb}${capital(title)}`,
    tags: [`${group}s`, name],
    summary,
  });
  return [
    operation("GET", "list", all, `Returns a page of ${name}s ${of()}, newest first`),
    operation("POST", "create", all, `Creates a ${name} ${of()} and returns its ${pick(WORDS)}`),
    operation("GET", "get", one, `Returns one ${name} ${of()} with its ${pick(WORDS)}`),
    operation("PATCH", "update", one, `Changes the ${pick(WORDS)} of a ${name} ${of()}`),
    operation("DELETE", "delete", one, `Deletes a ${name} ${of()}; its ${pick(WORDS)} is kept`),
  ];
}

const capital = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

function finding(n: number, { method, path }: NormalizedEndpoint, pick: Pick): NormalizedFinding {
  const [code, says] = pick(FINDINGS);
  const message = `${method} ${path} ${says}`;
  return {
    code,
    severity: pick(SEVERITIES),
    message: n === 0 ? `${message} ${MARK}` : message,
    method,
    path,
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

const FINDINGS = [
  ["operation-description", "has no description, so that its users must guess what it does"],
  ["operation-4xx-response", "declares no answer for a request that it refuses"],
  ["operation-security", "declares no security, although the others of its resource do"],
  ["pagination-missing", "returns a list that has no paging"],
  ["path-casing", "has a path that mixes two ways of writing"],
] as const;
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
