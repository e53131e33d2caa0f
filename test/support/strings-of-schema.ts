import { z } from "zod";

export interface StringSchema {
  /** Such as `body.changes[].path`. */
  place: string;
  schema: z.ZodString;
}

/** Every string of a zod schema, with its place. */
export function stringsOf(schema: unknown, place: string, seen = new Set<unknown>()): StringSchema[] {
  if (!(schema instanceof z.ZodType) || seen.has(schema)) return [];
  if (schema instanceof z.ZodString) return [{ place, schema }];
  const below = new Set([...seen, schema]);
  return partsOf(schema).flatMap(([name, part]) => stringsOf(part, `${place}${name}`, below));
}

function partsOf(schema: z.ZodType): [string, unknown][] {
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).map(([key, part]) => [`.${key}`, part]);
  if (schema instanceof z.ZodArray) return [["[]", schema.element]];
  if (schema instanceof z.ZodUnion) return schema.options.map((option) => ["", option]);
  if (schema instanceof z.ZodTuple) return schema.def.items.map((item, index) => [`[${index}]`, item]);
  if (schema instanceof z.ZodRecord)
    return [
      ["{}", schema.valueType],
      ["{name}", schema.keyType],
    ];
  if (schema instanceof z.ZodPipe)
    return [
      ["", schema.in],
      ["", schema.out],
    ];
  const { innerType } = schema.def as { innerType?: unknown };
  return innerType === undefined ? [] : [["", innerType]];
}
