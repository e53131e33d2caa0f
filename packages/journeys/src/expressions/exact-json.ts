import { Bytes } from "./bytes.ts";

/** Longer integers are read as numbers, because creating a bigint from them takes too long. */
const DIGITS_MAX = 400;

/** As `JSON.parse`, with integers beyond 2^53 as bigint, so that they keep their text. @throws SyntaxError */
export function parseJson(text: string): unknown {
  // Such an integer has at least sixteen digits in a row. Without any, the slow reviver isn't needed.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, exactInteger);
}

/** The third argument is the token as it was written; an engine that does not give it leaves the number as it is. */
function exactInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  return source.length <= DIGITS_MAX && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** Like `JSON.stringify`, with each bigint as an integer; undefined for values that JSON can't express. */
export function toJson(value: unknown): string | undefined {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null || value instanceof Bytes || !hasBigInt(value))
    return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => toJson(item) ?? "null").join(",")}]`;
  const members = Object.entries(value).flatMap(([key, item]) => {
    const text = toJson(item);
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`];
  });
  return `{${members.join(",")}}`;
}

function hasBigInt(value: object): boolean {
  const items: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.some(
    (item) => typeof item === "bigint" || (typeof item === "object" && item !== null && hasBigInt(item)),
  );
}

/** A copy with each bigint converted, or the value itself if it contains none. */
export function mapBigInts(value: unknown, convert: (integer: bigint) => unknown): unknown {
  if (typeof value === "bigint") return convert(value);
  if (typeof value !== "object" || value === null || value instanceof Bytes || !hasBigInt(value))
    return value;
  if (Array.isArray(value)) return value.map((item) => mapBigInts(item, convert));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapBigInts(item, convert)]));
}
