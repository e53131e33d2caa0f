/** The text of one endpoint or finding, by the indexes of its first byte and after its last one. */
export interface ItemText {
  start: number;
  end: number;
  /** Of the fields that it is known by. */
  identityHash: number;
}

export interface SplitScan {
  /** The JSON text without the items: both lists are empty in it. */
  description: string;
  endpoints: ItemText[];
  findings: ItemText[];
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** How an item begins, what is between two, and how many quotes there are to the end of the fields that it is known by. */
const ENDPOINT = { head: '{"method":', between: Buffer.from('},{"method":'), identityQuotes: 8 };
const FINDING = { head: '{"code":', between: Buffer.from('},{"code":'), identityQuotes: 12 };

const ENDPOINTS_HEAD = '"endpoints":[';
const BETWEEN = '],"findings":[';
const TAIL = "]}";

/**
 * Finds the text of each item in the JSON text of a scan, without reading any. What it looks for has quotes in it, and a quote
 * inside of a string has a backslash before it: so it finds nothing inside of strings. It judges nothing: an item's text is
 * that of a stored item, or else its reader says whether it is valid. The lists are the last that the text has, so they are those
 * that JSON means, where the description is valid.
 *
 * @returns undefined where the text is not as `canonicalJson` writes it, as far as can be told without reading items
 */
export function splitScan(json: Buffer): SplitScan | undefined {
  const head = json.indexOf(ENDPOINTS_HEAD);
  const between = json.indexOf(BETWEEN, head);
  const end = json.byteLength - TAIL.length;
  if (head === -1 || between === -1 || json.toString("latin1", end) !== TAIL) return undefined;
  const endpoints = splitItems(json, { start: head + ENDPOINTS_HEAD.length, end: between }, ENDPOINT);
  const findings = splitItems(json, { start: between + BETWEEN.length, end }, FINDING);
  if (endpoints === undefined || findings === undefined) return undefined;
  const description = `${json.toString("utf8", 0, head)}${ENDPOINTS_HEAD}${BETWEEN}${TAIL}`;
  return { description, endpoints, findings };
}

function splitItems(
  json: Buffer,
  list: { start: number; end: number },
  { head, between, identityQuotes }: typeof ENDPOINT,
): ItemText[] | undefined {
  if (list.start === list.end) return [];
  if (json.toString("latin1", list.start, list.start + head.length) !== head) return undefined;
  const items: ItemText[] = [];
  for (let start = list.start; ;) {
    const next = json.indexOf(between, start);
    const isLast = next === -1 || next >= list.end;
    const end = isLast ? list.end : next + 1;
    items.push({ start, end, identityHash: hashBytes(json, start, skipQuotes(json, start, identityQuotes)) });
    if (isLast) return items;
    start = end + 1;
  }
}

/** The index after so many quotes. */
function skipQuotes(json: Buffer, start: number, quotes: number): number {
  const { length } = json;
  let index = start;
  for (let left = quotes; left > 0 && index < length; index++) {
    const byte = json[index];
    if (byte === QUOTE) left--;
    else if (byte === BACKSLASH) index++;
  }
  return index;
}

/**
 * FNV-1a, of four bytes at a time: of single ones it would take as long as finding all items. Its bits are mixed at the end:
 * alone, its lowest ones hardly depend on the first bytes.
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
