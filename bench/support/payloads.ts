import { hash } from "node:crypto";
import type { NormalizedEndpoint, NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { createRandom, type Random } from "./random.ts";

export interface ScanSize {
  name: string;
  endpoints: number;
  findings: number;
}

export const MAX: ScanSize = { name: "max", endpoints: 2000, findings: 500 };
export const LARGE: ScanSize = { name: "large", endpoints: 500, findings: 100 };
export const TYPICAL: ScanSize = { name: "typical", endpoints: 120, findings: 20 };
export const SMALL: ScanSize = { name: "small", endpoints: 20, findings: 4 };

/** The content of a service's description at a point in time. */
export interface Content {
  /** Stands in the path of every operation: two contents with different marks have no item in common. */
  mark: string;
  /** Each description has its own: another spec.hash and version, whether its items changed or not. */
  revision: number;
  /** Each item as JSON, with MARK where the content's mark goes. */
  endpoints: readonly string[];
  findings: readonly string[];
}

export const MARK = "@mark@@@";

/** Makes contents of one size. They share their items' text until it is sent: thousands fit into memory. */
export function createContents(size: ScanSize): (mark: number) => Content {
  const { endpoints, findings } = templateItems(size);
  const items = {
    endpoints: endpoints.map((item) => JSON.stringify(item)),
    findings: findings.map((item) => JSON.stringify(item)),
  };
  return (mark) => ({ ...items, mark: mark.toString(36).padStart(MARK.length, "0"), revision: 1 });
}

/** The body of a scan of this content. The same content of the same service gives the same text. */
export function toPayloadText(service: string, { mark, revision, endpoints, findings }: Content): string {
  const spec = {
    hash: hash("sha256", `${service} ${mark} ${revision}`),
    format: "openapi",
    version: `1.${revision}.0`,
    title: "Orders",
  };
  const items = `"endpoints":[${endpoints.join(",")}],"findings":[${findings.join(",")}]`;
  return `{"service":${JSON.stringify({ name: service })},"spec":${JSON.stringify(spec)},${items}}`.replaceAll(
    MARK,
    mark,
  );
}

function templateItems(size: ScanSize): { endpoints: NormalizedEndpoint[]; findings: NormalizedFinding[] } {
  const random = createRandom(size.endpoints);
  const pick: Pick = (items) => items[Math.floor(random() * items.length)] as (typeof items)[number];
  const endpoints: NormalizedEndpoint[] = [];
  while (endpoints.length < size.endpoints) endpoints.push(...resource(endpoints.length, pick));
  endpoints.length = size.endpoints;
  // At most one finding for each operation, so that no two are alike.
  const found = shuffle(endpoints, random).slice(0, size.findings);
  return { endpoints, findings: found.map((endpoint) => finding(endpoint, pick)) };
}

type Pick = <T>(items: readonly T[]) => T;

function shuffle<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

/**
 * The operations of one resource, as descriptions of large public APIs have them, and as compressible: those shrink to
 * an eighth or a ninth at zstd's level 1.
 */
function resource(n: number, pick: Pick): NormalizedEndpoint[] {
  const [group, thing, part] = [pick(WORDS), pick(WORDS), pick(WORDS)];
  const name = `${thing}-${part}`;
  const title = `${group}${capital(thing)}${capital(part)}${n}`;
  const all = `/v1/${MARK}/${group}s/{id}/${name}s-${n}`;
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

function finding({ method, path }: NormalizedEndpoint, pick: Pick): NormalizedFinding {
  const [code, says] = pick(FINDINGS);
  return { code, severity: pick(SEVERITIES), message: `${method} ${path} ${says}`, method, path };
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
