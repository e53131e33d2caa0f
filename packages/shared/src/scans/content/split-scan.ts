/** The text of one endpoint or finding: the index of its first byte, and the index after its last byte. */
export interface ItemText {
  start: number;
  end: number;
  /** Of the fields that identify it. */
  identityHash: number;
}

export interface SplitScan {
  /** The JSON text without items: both lists are empty. */
  description: string;
  endpoints: ItemText[];
  findings: ItemText[];
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** How an item begins, the separator of items, and the number of quotes up to the end of the identifying fields. */
const ENDPOINT = { head: '{"method":', between: Buffer.from('},{"method":'), identityQuotes: 8 };
const FINDING = { head: '{"code":', between: Buffer.from('},{"code":'), identityQuotes: 12 };

const ENDPOINTS_HEAD = '"endpoints":[';
const BETWEEN = '],"findings":[';
const TAIL = "]}";

/**
 * Finds the text of each item in the JSON text of a scan, without parsing. Its search patterns contain quotes, and a quote
 * inside a string follows a backslash, so it finds nothing inside strings. It validates nothing: an item's text either
 * equals that of a stored item, or is validated later. The lists are the last fields of the text, so they are the ones
 * that a JSON parser would use, if the rest is valid.
 *
 * @returns undefined if the text is not canonical, as far as that is visible without parsing items
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

/** The index after this many quotes. */
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
