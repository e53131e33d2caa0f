import { z } from "zod";
import { listLimits, textLimits } from "./schema.ts";

/** A quick look at a value out of `JSON.parse`. */
export type FastValidator = (value: unknown) => boolean;

/**
 * Makes a quick look out of a schema: true means that the schema takes the value, as it is; false means nothing, ask
 * the schema. It is for values out of a JSON text for which `jsonTextIsStorable`, understands strict objects, enums,
 * null, and what `text` and `boundedArray` make, and says false to anything else. A 201 may wait for 2,500 such looks,
 * which take zod several times as long.
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
    // UTF-16 units: at least as many as there are characters, and at most twice as many.
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

/** Whether no string of this JSON text, which is valid UTF-8, has a NUL or a lone surrogate: only an escape makes one. */
export function jsonTextIsStorable(json: Buffer): boolean {
  return !json.includes("\\u");
}
