import { z } from "zod";
import { carriesCredentials } from "./carries-credentials.ts";
import { canonicalDateTime } from "./date-time/schema.ts";

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
 * NUL and lone surrogates are refused: Postgres can't store the former, UTF-8 can't encode the latter.
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

/** C0, DEL, C1, bidirectional controls, line and paragraph separators: terminals and logs would interpret them. */
const CONTROLS = String.raw`\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069`;
const NO_CONTROLS = new RegExp(`^[^${CONTROLS}]*$`);

/** A `text` to show in lists: one line, without control characters. */
export function label(limits: { min?: number; max?: number }) {
  const { min, max } = limits;
  return text(limits)
    .regex(NO_CONTROLS, "must not contain control characters or line breaks")
    .meta({ ...(min !== undefined && { minLength: min }), ...(max !== undefined && { maxLength: max }) });
}

const textSchemas = new WeakMap<z.ZodType, { min: number; max: number }>();

/** The length limits of a schema made by `text`, in characters. */
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
  return unstorable(value);
}

/** Says why Postgres can't store a text: it has a NUL or a lone surrogate. Returns undefined for every other text. */
export function unstorable(value: string): string | undefined {
  if (value.includes("\0")) return "must not contain the NUL character";
  if (!value.isWellFormed()) return "must be well-formed Unicode (it has a lone surrogate)";
  return undefined;
}

/** An array that checks its length before its items, so that a huge array is cheap to refuse. */
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

/** The item schema and the maximum length of a schema made by `boundedArray`. */
export function listLimits(schema: z.ZodType): { item: z.ZodType; max: number } | undefined {
  return listSchemas.get(schema);
}

const JSON_DEPTH_MAX = 32;

/**
 * A JSON object of any content that Postgres can store: strings as `text()` accepts them, and at most 32 levels deep. A
 * field named `__proto__` is refused, because parsers drop it silently, and a constraint must not get lost.
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

/**
 * A JSON object that is read from where it was stored. It has what a target answered, so the rules of requests don't apply to it: a
 * row that is there must be readable.
 */
export const StoredObject = z.record(z.string(), z.unknown());

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

/** Any UUID of RFC 9562's format, including custom versions and variants. */
export const Uuid = z
  .guid()
  .meta({ id: "Uuid", format: "uuid", description: "A UUID in the format of RFC 9562." });

/** An RFC 3339 date-time with any offset. Parsing rewrites rare forms; see `canonicalDateTime`. */
export const IsoDateTime = z
  .string()
  .refine((value) => canonicalDateTime(value) !== undefined, {
    error: "must be an RFC 3339 date-time such as 2026-01-31T12:00:00Z",
    abort: true,
  })
  .overwrite((value) => canonicalDateTime(value) ?? value)
  .meta({
    id: "IsoDateTime",
    format: "date-time",
    description: "An RFC 3339 date-time with an offset.",
  });

/** The longest position has the name of a service and of a rule, and a path. */
const CURSOR_CHARS_MAX = 12_000;

/** The cursor of a list, which is opaque to callers. */
export const Cursor = z
  .string()
  .max(CURSOR_CHARS_MAX)
  .regex(/^[A-Za-z0-9_-]*$/, "is not a cursor of this list: use the nextCursor of a response unchanged")
  .optional()
  .meta({ description: "The nextCursor of the previous page. Omit it for the first page." });

const BUILD_URL_CHARS_MAX = 2_000;
export const NO_CREDENTIALS = "must not contain a user name, a password or a token";

/** The page of a build. A password in it would be shown to everybody who may read the run. */
export const BuildUrl = z
  .url({ protocol: /^https?$/, error: "must be an http:// or https:// address" })
  .refine(
    (value) => countCharacters(value) <= BUILD_URL_CHARS_MAX,
    `must be at most ${BUILD_URL_CHARS_MAX} characters long`,
  )
  .refine((value) => !carriesCredentials(value), NO_CREDENTIALS)
  .meta({
    maxLength: BUILD_URL_CHARS_MAX,
    description: "The page of the build, without a user name, a password or a token.",
  });

/** The names of the parameters in a path such as `/services/:serviceId`. */
export type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
