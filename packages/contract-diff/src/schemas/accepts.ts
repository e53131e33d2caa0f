import type { JsonArray, JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import type { Conjunction } from "../read/node.ts";
import { type SchemaContext, spend } from "./context.ts";
import { matchesFormat } from "./formats.ts";
import { canonicalText, schemaOfItem, schemaOfName, type Shape, typeOf } from "./shape.ts";

/** True or false; undefined if it can't be decided, such as for a pattern that is not understood. */
type Decision = boolean | undefined;

const DEPTH_MAX = 40;

/** Decides whether a schema allows a value. */
export function accepts(
  context: SchemaContext,
  conjunction: Conjunction,
  value: JsonValue,
  depth = 0,
): Decision {
  if (conjunction.length === 0) return true;
  if (depth > DEPTH_MAX) return undefined;
  const { shapes, undecided } = context.expand(conjunction);
  const some = anyOf(shapes, (shape) => acceptsShape(context, shape, value, depth));
  return undecided === undefined ? some : undefined;
}

function exactlyOne(
  context: SchemaContext,
  alternatives: readonly Conjunction[],
  value: JsonValue,
  depth: number,
): Decision {
  let count = 0;
  for (const alternative of alternatives) {
    const decided = accepts(context, alternative, value, depth + 1);
    if (decided === undefined) return undefined;
    if (decided) count += 1;
  }
  return count === 1;
}

/** Decides whether a shape allows a value. */
export function acceptsShape(context: SchemaContext, shape: Shape, value: JsonValue, depth = 0): Decision {
  spend(context);
  const type = typeOf(value);
  if (!shape.types.has(type)) return false;
  if (shape.values !== undefined) return shape.values.has(canonicalText(value));
  const typed = acceptsTyped(context, shape, value, depth);
  if (typed === false) return false;
  const excluded = allOf(shape.not, (schema) => negate(accepts(context, schema, value, depth + 1)));
  const conditions = allOf(shape.conditions, (condition) => {
    const applies = accepts(context, condition.test, value, depth + 1);
    if (applies === undefined) return undefined;
    return accepts(context, applies ? condition.whenTrue : condition.whenFalse, value, depth + 1);
  });
  const single = allOf(shape.exclusive, (alternatives) => exactlyOne(context, alternatives, value, depth));
  return and(and(typed, excluded), and(conditions, single));
}

function acceptsTyped(context: SchemaContext, shape: Shape, value: JsonValue, depth: number): Decision {
  if (typeof value === "number") return acceptsNumber(shape, value);
  if (typeof value === "string") return acceptsString(context, shape, value);
  if (Array.isArray(value)) return acceptsArray(context, shape, value, depth);
  if (typeof value === "object" && value !== null) return acceptsObject(context, shape, value, depth);
  return true;
}

function acceptsNumber(shape: Shape, value: number): boolean {
  return (
    (!shape.integer || Number.isInteger(value)) &&
    value >= (shape.minimum ?? -Infinity) &&
    value <= (shape.maximum ?? Infinity) &&
    value > (shape.exclusiveMinimum ?? -Infinity) &&
    value < (shape.exclusiveMaximum ?? Infinity) &&
    shape.multipleOf.every((factor) => isMultiple(value, factor))
  );
}

/** True if the value is a multiple, with the rounding of binary fractions forgiven. */
export function isMultiple(value: number, factor: number): boolean {
  const quotient = value / factor;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.max(1, Math.abs(quotient));
}

function acceptsString(context: SchemaContext, shape: Shape, value: string): Decision {
  const length = Array.from(value).length;
  if (length < shape.minLength || length > (shape.maxLength ?? Infinity)) return false;
  return and(
    allOf([...shape.patterns], (pattern) => context.matchesPattern(pattern, value)),
    allOf([...shape.formats], (format) => matchesFormat(format, value)),
  );
}

function acceptsArray(context: SchemaContext, shape: Shape, value: JsonArray, depth: number): Decision {
  if (value.length < shape.minItems || value.length > (shape.maxItems ?? Infinity)) return false;
  if (shape.uniqueItems && new Set(value.map(canonicalText)).size < value.length) return false;
  const items = allOf([...value.keys()], (index) =>
    accepts(context, schemaOfItem(shape, index), value[index] ?? null, depth + 1),
  );
  const contains = allOf(shape.contains, ({ schema, min, max }) => {
    const decided = value.map((item) => accepts(context, schema, item, depth + 1));
    if (decided.includes(undefined)) return undefined;
    const count = decided.filter((each) => each === true).length;
    return count >= min && count <= (max ?? Infinity);
  });
  return and(items, contains);
}

function acceptsObject(context: SchemaContext, shape: Shape, value: JsonObject, depth: number): Decision {
  const names = Object.keys(value);
  if (names.length < shape.minProperties || names.length > (shape.maxProperties ?? Infinity)) return false;
  for (const name of shape.required) if (!Object.hasOwn(value, name)) return false;
  for (const [name, others] of shape.dependentRequired) {
    if (Object.hasOwn(value, name) && [...others].some((other) => !Object.hasOwn(value, other))) return false;
  }
  const isMatch = (pattern: string, name: string) => context.matchesPattern(pattern, name) === true;
  const members = allOf(names, (name) =>
    and(
      accepts(context, shape.propertyNames, name, depth + 1),
      accepts(context, schemaOfName(shape, name, isMatch), value[name] ?? null, depth + 1),
    ),
  );
  const dependent = allOf([...shape.dependentSchemas], ([name, schema]) =>
    Object.hasOwn(value, name) ? accepts(context, schema, value, depth + 1) : true,
  );
  return and(members, dependent);
}

function and(a: Decision, b: Decision): Decision {
  if (a === false || b === false) return false;
  return a === undefined || b === undefined ? undefined : true;
}

function negate(decision: Decision): Decision {
  return decision === undefined ? undefined : !decision;
}

function allOf<T>(items: readonly T[], decide: (item: T) => Decision): Decision {
  let all: Decision = true;
  for (const item of items) {
    all = and(all, decide(item));
    if (all === false) return false;
  }
  return all;
}

function anyOf<T>(items: readonly T[], decide: (item: T) => Decision): Decision {
  let unknown = false;
  for (const item of items) {
    const decided = decide(item);
    if (decided === true) return true;
    unknown ||= decided === undefined;
  }
  return unknown ? undefined : false;
}
