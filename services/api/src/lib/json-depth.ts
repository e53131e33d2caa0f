const QUOTE = 0x22;
const BACKSLASH = 0x5c;
// With bit 5 set, `[` and `{` are 0x7b, `]` and `}` 0x7d, and nothing else that JSON allows outside of strings is.
const CASE_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Where JSON text nests deeper than `depthMax`; undefined where it doesn't. It reads the bytes once, as far as
 * that place, and builds nothing: a parser would have made an object for every level by then.
 *
 * @returns the index of the bracket that is one too many, in bytes
 */
export function findExcessiveDepth(json: Uint8Array, depthMax: number): number | undefined {
  let depth = 0;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index] ?? 0;
    if (byte === QUOTE) {
      index = endOfString(json, index);
      continue;
    }
    const bracket = byte | CASE_BIT;
    if (bracket === OPEN && ++depth > depthMax) return index;
    if (bracket === CLOSE) depth--;
  }
  return undefined;
}

function endOfString(json: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < json.length && json[index] !== QUOTE) index += json[index] === BACKSLASH ? 2 : 1;
  return index;
}
