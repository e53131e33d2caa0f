import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import type { Conjunction } from "../read/node.ts";
import { isMultiple } from "./accepts.ts";
import { type SchemaContext, spend } from "./context.ts";
import { schemaOfItem, schemaOfName, schemaOfOthers, type Shape, type TypeName } from "./shape.ts";

const DEPTH_MAX = 12;
const ITEMS_MAX = 50;
const LENGTH_MAX = 300;
const EXAMPLES: Record<string, string> = {
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  time: "12:00:00Z",
  email: "a@example.com",
  uuid: "6f2d0b6e-6b3f-4c52-9a55-0d3a5f6c1a01",
  uri: "https://example.com/",
  url: "https://example.com/",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
};

/** Which optional properties a sample has. */
export type Fullness = "required" | "all";

/** Returns a small value that the schema allows; undefined if none was found. */
export function sample(
  context: SchemaContext,
  conjunction: Conjunction,
  fullness: Fullness = "required",
  depth = 0,
): JsonValue | undefined {
  if (depth > DEPTH_MAX) return undefined;
  for (const shape of context.expand(conjunction).shapes) {
    const found = sampleShape(context, shape, { fullness, depth });
    if (found !== undefined) return found;
  }
  return undefined;
}

const PREFERRED: readonly TypeName[] = ["object", "string", "number", "boolean", "array", "null"];

/** Returns a small value of a shape, of the given type if there is one. */
export function sampleShape(
  context: SchemaContext,
  shape: Shape,
  { type, fullness = "required", depth = 0 }: { type?: TypeName; fullness?: Fullness; depth?: number },
): JsonValue | undefined {
  spend(context);
  if (shape.values !== undefined) return [...shape.values.values()][0];
  const chosen = type ?? PREFERRED.find((each) => shape.types.has(each));
  switch (chosen) {
    case "null":
      return null;
    case "boolean":
      return true;
    case "number":
      return sampleNumber(shape);
    case "string":
      return sampleString(context, shape);
    case "array":
      return sampleArray(context, shape, depth);
    default:
      return chosen === undefined ? undefined : sampleObject(context, shape, { fullness, depth });
  }
}

function sampleNumber(shape: Shape): number | undefined {
  const [factor] = shape.multipleOf;
  const unit = factor ?? 1;
  const low =
    shape.minimum ??
    (shape.exclusiveMinimum === undefined ? undefined : shape.exclusiveMinimum + unit / 1000);
  const high =
    shape.maximum ??
    (shape.exclusiveMaximum === undefined ? undefined : shape.exclusiveMaximum - unit / 1000);
  const isFine = (value: number) =>
    value >= (low ?? -Infinity) &&
    value <= (high ?? Infinity) &&
    (!shape.integer || Number.isInteger(value)) &&
    shape.multipleOf.every((each) => isMultiple(value, each));
  const ceiled = low === undefined ? 0 : Math.ceil(low / unit) * unit;
  const floored = high === undefined ? 0 : Math.floor(high / unit) * unit;
  return [unit, 0, ceiled, floored, low, high].find((value) => value !== undefined && isFine(value));
}

export function sampleString(
  context: SchemaContext,
  shape: Shape,
  length = shape.minLength,
): string | undefined {
  if (length > LENGTH_MAX) return undefined;
  if (shape.patterns.size > 0) {
    const texts = [...shape.patterns].map((pattern) => context.sampleOf(pattern, length));
    const isMatch = (text: string | undefined) =>
      text !== undefined && [...shape.patterns].every((each) => context.matchesPattern(each, text) === true);
    return texts.find(isMatch);
  }
  const [format] = shape.formats;
  const example = format === undefined ? undefined : EXAMPLES[format];
  if (example !== undefined && example.length >= length) return example;
  return "a".repeat(Math.max(length, Math.min(1, shape.maxLength ?? 1)));
}

export function sampleArray(
  context: SchemaContext,
  shape: Shape,
  depth = 0,
  length = shape.minItems,
): JsonValue[] | undefined {
  const wanted = Math.max(length, ...shape.contains.map(({ min }) => min));
  if (wanted > ITEMS_MAX) return undefined;
  const items: JsonValue[] = [];
  for (let index = 0; index < wanted; index++) {
    const contained = shape.contains.find(({ min }) => index < min);
    const wish = contained === undefined ? schemaOfItem(shape, index) : contained.schema;
    const item = sample(context, wish, "required", depth + 1);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items;
}

/** Returns an object with the required properties, or with all that are named, and those given. */
export function sampleObject(
  context: SchemaContext,
  shape: Shape,
  { fullness = "required", depth = 0 }: { fullness?: Fullness; depth?: number },
): JsonObject | undefined {
  const isMatch = (pattern: string, name: string) => context.matchesPattern(pattern, name) === true;
  const optional = fullness === "all" ? shape.rules.flatMap(({ properties }) => [...properties.keys()]) : [];
  const result: JsonObject = {};
  for (const name of new Set([...shape.required, ...optional])) {
    const value = sample(context, schemaOfName(shape, name, isMatch), "required", depth + 1);
    if (value !== undefined) setOwn(result, name, value);
    else if (shape.required.has(name)) return undefined;
  }
  const missing = shape.minProperties - Object.keys(result).length;
  for (let index = 0; index < Math.min(missing, ITEMS_MAX); index++) {
    const value = sample(context, schemaOfOthers(shape), "required", depth + 1);
    if (value !== undefined) setOwn(result, `name${index + 1}`, value);
  }
  return result;
}

/** Sets a member whatever its name is: `__proto__` becomes a member as well. */
export function setOwn(target: JsonObject, name: string, value: JsonValue): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
