/** Returned for a scalar whose value is ambiguous. */
export const DOUBTFUL = Symbol("doubtful");

export type PlainScalar = string | number | boolean | null;

const WORDS = new Map<string, PlainScalar>([
  ["", null],
  ["~", null],
  ["null", null],
  ["true", true],
  ["false", false],
]);
/** In JSON's notation, and exact as a number. */
const NUMBER = /^(?:-?[1-9]\d{0,14}|0|-?\d{1,7}\.\d{1,7})$/;
/** Everything else that YAML reads as a number, `null`, `true` or `false`, and `<<`, which merges mappings. */
const SPECIAL =
  /^(?:[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:e[-+]?\d+)?|0o[0-7]+|0x[\da-f]+|[-+]?\.(?:inf|nan)|null|true|false|<<)$/i;

/** The value of an unquoted scalar according to YAML's core schema. */
export function plainScalar(text: string): PlainScalar | typeof DOUBTFUL {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (NUMBER.test(text)) return Number(text);
  return SPECIAL.test(text) ? DOUBTFUL : text;
}
