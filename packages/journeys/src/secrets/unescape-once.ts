import { HTML_ENTITIES } from "./html-entities.ts";

/**
 * A text with one layer of escapes undone; `places[i]` is the original index of its character `i`, and the last entry is the
 * end.
 */
export interface Unescaped {
  text: string;
  places: number[];
}

const MAY_HOLD_ESCAPES = /[%&\\]/;

const ESCAPES =
  /(?:%[0-9a-f]{2})+|%u[0-9a-f]{4}|&#x[0-9a-f]{1,6};?|&#[0-9]{1,7};?|&[a-z][a-z0-9]{1,11};|\\(?:u[0-9a-f]{4}|u\{[0-9a-f]{1,6}\}|x[0-9a-f]{2}|["'\\/bfnrt])/gi;

/** The beginning of an escape at the end of a cut text. */
export const ESCAPE_BEGUN =
  /(?:%(?:u?[0-9a-f]{0,3})|&(?:#x?[0-9a-f]{0,7}|[a-z][a-z0-9]{0,11})?|\\(?:u\{?[0-9a-f]{0,6}|x[0-9a-f]?)?)$/i;

const CONTROLS: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/**
 * Undoes one layer of escaping: of URLs (UTF-8, else Latin-1), of HTML, and of JSON and JavaScript strings. Undefined where the
 * text has none. What was escaped twice is still escaped afterwards.
 */
export function unescapeOnce(text: string): Unescaped | undefined {
  if (!MAY_HOLD_ESCAPES.test(text)) return undefined;
  let result = "";
  const places: number[] = [];
  let from = 0;
  const add = (characters: string, place: number): void => {
    result += characters;
    for (let unit = 0; unit < characters.length; unit++) places.push(place);
  };
  const keepUntil = (end: number): void => {
    result += text.slice(from, end);
    for (let at = from; at < end; at++) places.push(at);
  };
  for (const { 0: escape, index } of text.matchAll(ESCAPES)) {
    const isBytes = escape.startsWith("%") && escape.charAt(1).toLowerCase() !== "u";
    const character = isBytes ? "" : characterOf(escape);
    if (character === undefined) continue;
    keepUntil(index);
    if (isBytes) for (const [at, decoded] of decodeBytes(escape)) add(decoded, index + at * 3);
    else add(character, index);
    from = index + escape.length;
  }
  if (from === 0) return undefined;
  keepUntil(text.length);
  places.push(text.length);
  return { text: result, places };
}

function characterOf(escape: string): string | undefined {
  if (escape.startsWith("&")) {
    const name = escape.replace(/^&#?/, "").replace(/;$/, "");
    if (!escape.startsWith("&#")) return HTML_ENTITIES.get(name);
    return fromCodePoint(/^x/i.test(name) ? Number.parseInt(name.slice(1), 16) : Number(name));
  }
  const body = escape.slice(1);
  const hex = /^[ux]\{?([0-9a-f]+)\}?$/i.exec(body)?.[1];
  if (hex !== undefined) return fromCodePoint(Number.parseInt(hex, 16));
  return CONTROLS[body.toLowerCase()] ?? body;
}

function fromCodePoint(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

/** The characters of a run such as `%c3%bc`, each with the index of its first byte. */
function decodeBytes(run: string): [at: number, character: string][] {
  const bytes = Array.from({ length: run.length / 3 }, (_, at) =>
    Number.parseInt(run.slice(at * 3 + 1, at * 3 + 3), 16),
  );
  const characters: [number, string][] = [];
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at] ?? 0;
    const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
    const rest = bytes.slice(at + 1, at + length);
    const isUtf8 = length > 1 && rest.length === length - 1 && rest.every((byte) => byte >> 6 === 2);
    const code = isUtf8
      ? rest.reduce((sum, byte) => (sum << 6) | (byte & 0x3f), first & (0x7f >> length))
      : first;
    characters.push([at, fromCodePoint(code) ?? String.fromCharCode(first)]);
    at += isUtf8 ? length : 1;
  }
  return characters;
}
