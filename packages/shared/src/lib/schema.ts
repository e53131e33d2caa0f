import { z } from "zod";

/**
 * Counts Unicode characters (code points), as JSON Schema's `maxLength` does. `String.length` counts UTF-16
 * units, in which one emoji is two.
 */
export function countCharacters(value: string): number {
  let count = 0;
  for (const _ of value) count++;
  return count;
}

/**
 * A string whose length limits are counted in Unicode characters and published as `minLength`/`maxLength`.
 * NUL and lone surrogates are refused: Postgres can't store the one, UTF-8 can't carry the other.
 */
export function text(limits: { min?: number; max?: number } = {}) {
  const { min = 0, max = Number.POSITIVE_INFINITY } = limits;
  const meta: { minLength?: number; maxLength?: number } = {};
  if (limits.min !== undefined) meta.minLength = limits.min;
  if (limits.max !== undefined) meta.maxLength = limits.max;
  const schema = z
    .string()
    .check((ctx) => {
      const problem = textProblem(ctx.value, min, max);
      if (problem !== undefined) ctx.issues.push({ code: "custom", message: problem, input: ctx.value });
    })
    .meta(meta);
  textSchemas.set(schema, { min, max });
  return schema;
}

/** C0, DEL, C1, the bidirectional controls, the line and paragraph separators: what a terminal or a log would act on. */
const CONTROLS = String.raw`\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069`;
const NO_CONTROLS = new RegExp(`^[^${CONTROLS}]*$`);

/** A `text` for people to read in a list: one line, without control characters. */
export function label(limits: { min?: number; max?: number }) {
  const { min, max } = limits;
  return text(limits)
    .regex(NO_CONTROLS, "must not contain control characters or line breaks")
    .meta({ ...(min !== undefined && { minLength: min }), ...(max !== undefined && { maxLength: max }) });
}

const textSchemas = new WeakMap<z.ZodType, { min: number; max: number }>();

/** The limits of a schema that `text` made, in characters. */
export function textLimits(schema: z.ZodType): { min: number; max: number } | undefined {
  return textSchemas.get(schema);
}

function textProblem(value: string, min: number, max: number): string | undefined {
  // A string has at most as many characters as UTF-16 units and at least half as many, so counting is rarely needed.
  if (value.length > max) {
    if (value.length > max * 2) return `must be at most ${max} characters long`;
    const length = countCharacters(value);
    if (length > max) return `must be at most ${max} characters long, is ${length}`;
  }
  if (value.length < min || (value.length < min * 2 && countCharacters(value) < min)) {
    return min === max ? `must be exactly ${min} characters long` : `must be at least ${min} characters long`;
  }
  if (value.includes("\0")) return "must not contain the NUL character";
  if (!value.isWellFormed()) return "must be well-formed Unicode (it has a lone surrogate)";
  return undefined;
}

/** An array whose length is checked before its items are, so that a huge one costs nothing. */
export function boundedArray<T extends z.ZodType>(item: T, max: number) {
  const schema = z.preprocess((value, ctx) => {
    if (Array.isArray(value) && value.length > max) {
      ctx.addIssue({ code: "custom", message: `must have at most ${max} items` });
    }
    return value;
  }, z.array(item).max(max));
  listSchemas.set(schema, { item, max });
  return schema;
}

const listSchemas = new WeakMap<z.ZodType, { item: z.ZodType; max: number }>();

/** The items' schema and their number at most, of a schema that `boundedArray` made. */
export function listLimits(schema: z.ZodType): { item: z.ZodType; max: number } | undefined {
  return listSchemas.get(schema);
}

const JSON_DEPTH_MAX = 32;

/**
 * A JSON object of any content that Postgres can store: text as `text()` takes it, and no deeper than 32 levels. A
 * field named `__proto__` is refused, because parsers drop it in silence, and a constraint must never get lost.
 */
export const OpenObject = z.preprocess(
  (value, ctx) => {
    const problem = jsonProblem(value, 0);
    if (problem === undefined) return value;
    ctx.addIssue({ code: "custom", message: problem });
    return z.NEVER;
  },
  z.record(z.string(), z.unknown()),
);

function jsonProblem(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return textProblem(value, 0, Number.POSITIVE_INFINITY);
  if (typeof value !== "object" || value === null) return undefined;
  if (depth >= JSON_DEPTH_MAX) return `must not be nested deeper than ${JSON_DEPTH_MAX} levels`;
  for (const [key, item] of Object.entries(value)) {
    if (key === "__proto__") return "must not have a field named __proto__";
    const problem = textProblem(key, 0, Number.POSITIVE_INFINITY) ?? jsonProblem(item, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Any UUID shape of RFC 9562, also those with a version or variant of their own. */
export const Uuid = z
  .guid()
  .meta({ id: "Uuid", format: "uuid", description: "A UUID of any RFC 9562 shape." });

/** An RFC 3339 date-time with any offset. */
export const IsoDateTime = z.iso
  .datetime({ offset: true })
  .meta({ id: "IsoDateTime", description: "An RFC 3339 date-time with an offset." });
