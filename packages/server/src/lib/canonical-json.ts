import { z } from "zod";
import { listLimits, textLimits } from "@waymark/shared/lib/schema.ts";

/**
 * Validates a value in a JSON text without parsing it.
 *
 * @param json valid UTF-8
 * @returns the index after the value; -1 if the schema refuses it or `JSON.stringify` would write it in another way
 */
export type CanonicalReader = (json: Buffer, start: number) => number;

/**
 * Compiles a reader of these fields of a strict object, which stand one after the other.
 *
 * @param before what stands before the first one: "{" or ","
 * @throws Error for a field whose schema is none of an enum, `nullable`, `text` and `boundedArray`
 */
export function compileFieldsReader(
  schema: z.ZodObject,
  before: string,
  names: readonly string[],
): CanonicalReader {
  const parts = names.flatMap((name, index) => [
    literal(`${index === 0 ? before : ","}${JSON.stringify(name)}:`),
    compileReader(schema.shape[name]),
  ]);
  return (json, start) => {
    let index = start;
    for (const readPart of parts) {
      index = readPart(json, index);
      if (index === -1) return -1;
    }
    return index;
  };
}

function compileReader(schema: unknown): CanonicalReader {
  if (schema instanceof z.ZodNullable) return anyOf([literal("null"), compileReader(schema.unwrap())]);
  if (schema instanceof z.ZodEnum) {
    return anyOf(schema.options.map((value) => literal(JSON.stringify(value))));
  }
  const limits = schema instanceof z.ZodType ? textLimits(schema) : undefined;
  if (limits !== undefined) return textReader(limits);
  const list = schema instanceof z.ZodType ? listLimits(schema) : undefined;
  if (list !== undefined) return listReader(compileReader(list.item), list.max);
  throw new Error("a canonical reader supports texts, bounded arrays, enums and null");
}

function literal(expected: string): CanonicalReader {
  const bytes = Buffer.from(expected);
  return (json, start) => {
    for (let n = 0; n < bytes.length; n++) {
      if (json[start + n] !== bytes[n]) return -1;
    }
    return start + bytes.length;
  };
}

function anyOf(readers: readonly CanonicalReader[]): CanonicalReader {
  return (json, start) => {
    for (const read of readers) {
      const end = read(json, start);
      if (end !== -1) return end;
    }
    return -1;
  };
}

function listReader(readItem: CanonicalReader, max: number): CanonicalReader {
  const readStart = literal("[");
  const readEmpty = literal("[]");
  return (json, start) => {
    const emptyEnd = readEmpty(json, start);
    if (emptyEnd !== -1) return emptyEnd;
    let index = readStart(json, start);
    for (let items = 0; items < max && index !== -1; items++) {
      index = readItem(json, index);
      const next = index === -1 ? undefined : json[index++];
      if (next === CLOSE_BRACKET) return index;
      if (next !== COMMA) return -1;
    }
    return -1;
  };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const CLOSE_BRACKET = 0x5d;
const LETTER_U = 0x75;
const FIRST_PRINTABLE = 0x20;
const FIRST_NON_ASCII = 0x80;

function textReader({ min, max }: { min: number; max: number }): CanonicalReader {
  return (json, start) => {
    if (json[start] !== QUOTE) return -1;
    let index = start + 1;
    let bytesBeyondCharacters = 0;
    for (;;) {
      let byte = json[index] ?? 0;
      // Most bytes are plain, so the time of a scan is the time of this loop.
      while (byte >= FIRST_PRINTABLE && byte < FIRST_NON_ASCII && byte !== QUOTE && byte !== BACKSLASH) {
        byte = json[++index] ?? 0;
      }
      if (byte === QUOTE) break;
      const length = byte === BACKSLASH ? escapeLength(json, index) : Number(byte >= FIRST_NON_ASCII);
      if (length === 0) return -1;
      bytesBeyondCharacters += byte === BACKSLASH ? length - 1 : Number(isContinuation(byte));
      index += length;
    }
    const characters = index - start - 1 - bytesBeyondCharacters;
    return characters >= min && characters <= max ? index + 1 : -1;
  };
}

/** Whether this byte of a character is not its first one: those begin with the bits 10. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** `\n` of a line break, `\u001f` of a control character. NUL is missing, because no text may contain it. */
const ESCAPES = new Set(
  ['"', "\\", ...Array.from({ length: 0x1f }, (_, n) => String.fromCharCode(n + 1))].map((character) =>
    JSON.stringify(character).slice(1, -1),
  ),
);
const ESCAPED_BYTES = new Set(
  [...ESCAPES].filter((text) => text.length === 2).map((text) => text.charCodeAt(1)),
);

/** 0 if the escape is not canonical. */
function escapeLength(json: Buffer, start: number): number {
  const byte = json[start + 1] ?? 0;
  if (ESCAPED_BYTES.has(byte)) return 2;
  return byte === LETTER_U && ESCAPES.has(json.toString("latin1", start, start + 6)) ? 6 : 0;
}
