import { z } from "zod";
import { listLimits, textLimits } from "./schema.ts";

/** Checks a value from `JSON.parse`: true means valid; false means that the schema must decide. */
export type FastValidator = (value: unknown) => boolean;

/**
 * Compiles a schema into a fast validator: true means that the schema accepts the value unchanged; false means that the
 * schema must decide. Use it for values from a JSON text that passed `jsonTextIsStorable`. It supports strict objects,
 * enums, null, and schemas made by `text` and `boundedArray`; for all others it returns false. A 201 may need 2,500 of
 * these checks, and zod takes several times as long.
 */
export function compileFastValidator(schema: z.ZodType): FastValidator {
  if (schema instanceof z.ZodObject) return fastObjectValidator(schema);
  if (schema instanceof z.ZodEnum) {
    const values = new Set<unknown>(schema.options);
    return (value) => values.has(value);
  }
  if (schema instanceof z.ZodNullable) {
    const inner = fastItemValidator(schema.unwrap());
    return (value) => value === null || inner(value);
  }
  const text = textLimits(schema);
  if (text !== undefined) {
    // A text has at least as many UTF-16 units as characters, and at most twice as many.
    const shortest = text.min * 2;
    return (value) => typeof value === "string" && value.length <= text.max && value.length >= shortest;
  }
  const list = listLimits(schema);
  if (list !== undefined) {
    const item = compileFastValidator(list.item);
    return (value) => Array.isArray(value) && value.length <= list.max && value.every(item);
  }
  return () => false;
}

function fastItemValidator(schema: unknown): FastValidator {
  return schema instanceof z.ZodType ? compileFastValidator(schema) : () => false;
}

function fastObjectValidator(schema: z.ZodObject): FastValidator {
  if (!(schema.def.catchall instanceof z.ZodNever)) return () => false;
  const fields = Object.entries(schema.shape).map(
    ([name, field]) => [name, fastItemValidator(field)] as const,
  );
  return (value) => {
    if (!isObject(value)) return false;
    for (const [name, isValidFast] of fields) {
      if (!isValidFast(value[name])) return false;
    }
    let count = 0;
    for (const _ in value) count++;
    return count === fields.length;
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether no string in this JSON text has a NUL or a lone surrogate. In valid UTF-8, only an escape can produce one. */
export function jsonTextIsStorable(json: Buffer): boolean {
  return !json.includes("\\u");
}
