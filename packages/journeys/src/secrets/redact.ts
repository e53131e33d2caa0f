import { isObject } from "@waymark/openapi/json.ts";
import { Bytes, readingsOf } from "../expressions/bytes.ts";
import { formsOf, LAYERS_MAX } from "./secret-forms.ts";
import { createTextIndex } from "./text-index.ts";
import type { TextIndex } from "./text-index.ts";
import { ESCAPE_BEGUN, unescapeOnce } from "./unescape-once.ts";

const PLACEHOLDER = "[redacted]";

/** A shorter text would occur in many numbers and words, and the gaps would reveal it. */
export const SECRET_LENGTH_MIN = 4;

/** A longer secret is found by its beginning, and everything behind it is redacted. */
const FORMS_CHARS_MAX = 65_536;

/** The maximum length of one character that is escaped twice. */
const ESCAPED_LENGTH = 12;

/** Marks the place where a text was cut. A text from elsewhere may contain it, too, so it proves nothing. */
const CUT = "…";

/** The number of characters behind a cut that are remembered: a secret that becomes known later may begin before it. */
const REST_CHARS = 4_096;
/** The number of characters before a cut by which the text is recognized. */
const REST_KEY_CHARS = 64;

/** Removes secret values from everything that leaves the runner. */
export interface Redactor {
  /** Makes a value a secret from now on. @returns whether it is new */
  add: (secret: string) => boolean;
  /** A copy without the secrets, or the value itself where there are none in it. */
  clean: <T>(value: T) => T;
  /**
   * The text without secrets, cut after so many characters of what it was. `isPartial` says that the text itself was cut where it
   * came from, so that it may end with the beginning of a secret.
   */
  cut: (text: string, max: number, options?: { isPartial?: boolean }) => string;
  /** The replacement of a value that is secret because of its position; it counts as replaced. */
  hide: () => string;
  /** Returns how many secrets have been replaced so far. */
  count: () => number;
  isEmpty: () => boolean;
  /** The most characters that a secret takes in a text, however it is escaped. */
  reach: () => number;
}

/**
 * Makes a redactor for secret values. Each is found raw, in base64 at every alignment, in base64url and in hexadecimal, and all
 * of it also escaped as in URLs, HTML and JSON, character by character, several times and in any mixture. `forms` may keep the
 * forms of secrets for other redactors.
 */
export function createRedactor(
  secrets: readonly string[] = [],
  forms: (secret: string) => ReadonlySet<string> = formsOf,
): Redactor {
  const known = new Set<string>();
  const index = createTextIndex();
  let replaced = 0;
  const add = (secret: string): boolean => {
    if (secret.length < SECRET_LENGTH_MIN || known.has(secret)) return false;
    known.add(secret);
    const isLong = secret.length > FORMS_CHARS_MAX;
    for (const form of forms(isLong ? secret.slice(0, FORMS_CHARS_MAX) : secret))
      index.add(form, isLong ? Number.POSITIVE_INFINITY : form.length);
    return true;
  };
  const cuts = createCuts(index);
  const cleanUntil = (text: string, end: number, isPartial: boolean): string => {
    const found = rangesOf(index, text, isPartial);
    const ranges = (isPartial ? found : merged([...found, ...cuts.rangesIn(text)])).filter(
      ([from]) => from < end,
    );
    if (ranges.length === 0) return text.length === end ? text : text.slice(0, end);
    replaced += ranges.length;
    return withoutRanges(text, ranges, end);
  };
  const cleanText = (text: string): string =>
    known.size === 0 || text.length < SECRET_LENGTH_MIN ? text : cleanUntil(text, text.length, false);
  for (const secret of secrets) add(secret);
  return {
    add,
    clean: (value) => (known.size === 0 ? value : sameShape(visit(value, cleanText), value)),
    cut: (text, max, { isPartial = false } = {}) => {
      if (text.length <= max) {
        if (!isPartial) return cleanText(text);
        return (known.size === 0 ? text : cleanUntil(text, text.length, true)) + CUT;
      }
      // A secret that begins before the end is found completely, however it is escaped.
      const seen = text.slice(0, max + index.longest() * ESCAPED_LENGTH);
      const before = known.size === 0 ? text.slice(0, max) : cleanUntil(seen, max, true);
      cuts.add(before, text.slice(max, max + REST_CHARS));
      return before + CUT;
    },
    hide: () => {
      replaced++;
      return PLACEHOLDER;
    },
    count: () => replaced,
    isEmpty: () => known.size === 0,
    reach: () => index.longest() * ESCAPED_LENGTH,
  };
}

/** Remembers what followed in the texts that were cut. */
interface Cuts {
  add: (before: string, rest: string) => void;
  /** The ranges of secrets that begin before a cut in the text and go on behind it. */
  rangesIn: (text: string) => [number, number][];
}

function createCuts(index: TextIndex): Cuts {
  const rests = new Map<string, string>();
  /** Texts that are shorter than a key: they may stand within another one. */
  const short = new Set<string>();
  const restAfter = (text: string): string | undefined => {
    const key = text.slice(-REST_KEY_CHARS);
    return rests.get(key) ?? rests.get([...short].find((one) => key.endsWith(one)) ?? key);
  };
  return {
    add: (before, rest) => {
      const key = before.slice(-REST_KEY_CHARS);
      rests.set(key, rest);
      if (key.length < REST_KEY_CHARS) short.add(key);
    },
    rangesIn: (text) => {
      const found: [number, number][] = [];
      if (rests.size === 0) return found;
      for (let end = text.indexOf(CUT); end >= 0; end = text.indexOf(CUT, end + 1)) {
        const rest = restAfter(text.slice(0, end));
        if (rest === undefined) continue;
        const start = Math.max(0, end - REST_CHARS);
        const crossing = rangesOf(index, text.slice(start, end) + rest, false).find(
          ([from, to]) => start + from < end && start + to > end,
        );
        if (crossing !== undefined) found.push([start + crossing[0], end]);
      }
      return found;
    },
  };
}

/** The ranges of secrets in a text, in order, with overlapping ones merged. */
function rangesOf(index: TextIndex, text: string, isPartial: boolean): [number, number][] {
  const found = foundIn(index, text, isPartial);
  let places: readonly number[] | undefined;
  let layer = unescapeOnce(text);
  for (let depth = 0; layer !== undefined && depth < LAYERS_MAX; depth++) {
    const before = places;
    const at: readonly number[] =
      before === undefined ? layer.places : layer.places.map((place) => before[place] ?? 0);
    for (const [from, to] of foundIn(index, layer.text, isPartial)) found.push([at[from] ?? 0, at[to] ?? 0]);
    places = at;
    layer = unescapeOnce(layer.text);
  }
  return found.length < 2 ? found : merged(found);
}

function foundIn(index: TextIndex, text: string, isPartial: boolean): [number, number][] {
  const found = index.find(text);
  const from = isPartial ? beginningBefore(index, text, text.length) : undefined;
  if (from !== undefined) found.push([from, text.length]);
  return found;
}

/** Where a secret begins that goes on behind `end`; the cut may also go through one of its escapes or UTF-8 sequences. */
function beginningBefore(index: TextIndex, text: string, end: number): number | undefined {
  const escape = ESCAPE_BEGUN.exec(text.slice(Math.max(0, end - ESCAPED_LENGTH), end))?.[0].length ?? 0;
  const whole = index.beginning(text, end - escape);
  if (whole !== undefined) return whole;
  const bytes = /[\u0080-\u00ff]{1,3}$/.exec(text.slice(Math.max(0, end - escape - 3), end - escape));
  return bytes === null ? undefined : index.beginning(text, end - escape - bytes[0].length);
}

function merged(ranges: [number, number][]): [number, number][] {
  const result: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0] || b[1] - a[1])) {
    const last = result.at(-1);
    if (last !== undefined && from < last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

function withoutRanges(text: string, ranges: readonly [number, number][], end: number): string {
  let result = "";
  let at = 0;
  for (const [from, to] of ranges) {
    result += text.slice(at, from) + PLACEHOLDER;
    at = to;
  }
  return at < end ? result + text.slice(at, end) : result;
}

/** The value with each of its texts replaced, names and numbers too; the value itself where none changes. */
export function mapTexts<T>(value: T, replace: (text: string) => string): T {
  return sameShape(visit(value, replace), value);
}

/** Redaction replaces only texts and numbers, by texts, so the shape stays the same. */
function sameShape<T>(cleaned: unknown, _like: T): T;
function sameShape(cleaned: unknown): unknown {
  return cleaned;
}

function visit(value: unknown, cleanText: (text: string) => string): unknown {
  if (typeof value === "string") return cleanText(value);
  if (typeof value === "number" || typeof value === "bigint") {
    const text = String(value);
    const cleaned = cleanText(text);
    return cleaned === text ? value : cleaned;
  }
  if (value instanceof Bytes) {
    const found = readingsOf(value.content).find((text) => cleanText(text) !== text);
    return found === undefined ? value : cleanText(found);
  }
  if (Array.isArray(value)) return visitArray(value, cleanText);
  return isObject(value) ? visitRecord(value, cleanText) : value;
}

function visitArray(value: unknown[], cleanText: (text: string) => string): unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, item] of value.entries()) {
    const cleaned = visit(item, cleanText);
    if (cleaned === item) continue;
    copy ??= [...value];
    copy[index] = cleaned;
  }
  return copy ?? value;
}

function visitRecord(
  value: Record<string, unknown>,
  cleanText: (text: string) => string,
): Record<string, unknown> {
  let changed = false;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const cleaned: [string, unknown] = [cleanText(key), visit(item, cleanText)];
    changed ||= cleaned[0] !== key || cleaned[1] !== item;
    return cleaned;
  });
  return changed ? Object.fromEntries(entries) : value;
}
