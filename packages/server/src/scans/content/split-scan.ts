import type { z } from "zod";
import { type CanonicalReader, compileFieldsReader } from "../../lib/canonical-json.ts";
import { NormalizedEndpoint, NormalizedFinding } from "@waymark/shared/scans/schema.ts";

/** The text of one endpoint or finding: the index of its first byte, and the index after its last byte. */
export interface ItemText {
  start: number;
  end: number;
  /** The hash of the fields that identify the item. */
  identityHash: number;
}

export interface SplitScan {
  /** The JSON text without items: both lists are empty. */
  description: string;
  endpoints: ItemText[];
  findings: ItemText[];
}

interface ItemReader {
  readIdentity: CanonicalReader;
  readOthers: CanonicalReader;
}

const ENDPOINT = itemReader(NormalizedEndpoint, ["method", "path"]);
const FINDING = itemReader(NormalizedFinding, ["code", "severity", "message"]);

const ENDPOINTS_HEAD = '"endpoints":[';
const BETWEEN = '],"findings":[';
const TAIL = "]}";
const COMMA = 0x2c;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;

/**
 * Finds and validates the text of each item in the JSON text of a scan, without parsing it. The lists are the last fields of
 * the text, so they are the ones that a JSON parser would use, if the description is valid.
 *
 * @param json valid UTF-8
 * @returns undefined if an item is invalid, or if the text is not canonical from the first list on
 */
export function splitScan(json: Buffer): SplitScan | undefined {
  const head = json.indexOf(ENDPOINTS_HEAD);
  if (head === -1) return undefined;
  const endpoints = readItems(json, head + ENDPOINTS_HEAD.length, ENDPOINT);
  if (endpoints === undefined || !isAt(json, endpoints.end, BETWEEN)) return undefined;
  const findings = readItems(json, endpoints.end + BETWEEN.length, FINDING);
  if (findings === undefined || json.toString("latin1", findings.end) !== TAIL) return undefined;
  const description = `${json.toString("utf8", 0, head)}${ENDPOINTS_HEAD}${BETWEEN}${TAIL}`;
  return { description, endpoints: endpoints.items, findings: findings.items };
}

function itemReader(schema: z.ZodObject, identity: readonly string[]): ItemReader {
  const others = Object.keys(schema.shape).filter((name) => !identity.includes(name));
  return {
    readIdentity: compileFieldsReader(schema, "{", identity),
    readOthers: compileFieldsReader(schema, ",", others),
  };
}

/** @returns the items of a list, and the index of the bracket that closes it; undefined if an item is invalid */
function readItems(
  json: Buffer,
  start: number,
  { readIdentity, readOthers }: ItemReader,
): { items: ItemText[]; end: number } | undefined {
  const items: ItemText[] = [];
  if (json[start] === CLOSE_BRACKET) return { items, end: start };
  for (let next = start; ; next++) {
    const identityEnd = readIdentity(json, next);
    const last = identityEnd === -1 ? -1 : readOthers(json, identityEnd);
    if (last === -1 || json[last] !== CLOSE_BRACE) return undefined;
    const end = last + 1;
    items.push({ start: next, end, identityHash: hashBytes(json, next, identityEnd) });
    if (json[end] !== COMMA) return { items, end };
    next = end;
  }
}

function isAt(json: Buffer, index: number, text: string): boolean {
  return json.toString("latin1", index, index + text.length) === text;
}

/**
 * FNV-1a over four bytes at a time: with single bytes it would take as long as finding all items. The final step mixes the
 * bits, because the lowest ones hardly depend on the first bytes.
 */
function hashBytes(json: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let n = start; n < end; n += 4) {
    const four =
      (json[n] ?? 0) | ((json[n + 1] ?? 0) << 8) | ((json[n + 2] ?? 0) << 16) | ((json[n + 3] ?? 0) << 24);
    hash = Math.imul(hash ^ four, 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
