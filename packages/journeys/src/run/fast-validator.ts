import { isObject, jsonEqual } from "@waymark/openapi/json.ts";
import { decodePointer, resolvePointer } from "@waymark/openapi/pointer.ts";

interface FastCheck {
  /** The document in which references are resolved. */
  root: unknown;
  depth: number;
  /** Shared by all that one check leads to. */
  steps: { left: number };
}

/** Schemas applied to values in one check: some 20 ms. Definitions that double, and very large values, are left to ajv. */
const STEPS_MAX = 100_000;

const DEPTH_MAX = 64;

/** Keywords that the fast validator knows. A schema with any other is left to ajv. */
const KNOWN = new Set([
  "$ref",
  "$defs",
  "type",
  "properties",
  "required",
  "items",
  "enum",
  "const",
  "additionalProperties",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "allOf",
  "format",
  "description",
  "title",
  "default",
  "example",
  "examples",
  "$comment",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

/**
 * True only if the value is valid. False does not mean that it is invalid: ajv decides then.
 *
 * @param root what references are relative to
 */
export function passesFastPath(schema: unknown, value: unknown, root: unknown): boolean {
  return passes(schema, value, { root, depth: 0, steps: { left: STEPS_MAX } });
}

function passes(schema: unknown, value: unknown, check: FastCheck): boolean {
  if (schema === true) return true;
  if (!isObject(schema) || check.depth > DEPTH_MAX || !isUnderstood(schema)) return false;
  if (--check.steps.left < 0) return false;
  const deeper = { root: check.root, depth: check.depth + 1, steps: check.steps };
  const { $ref: reference, allOf, enum: allowed } = schema;
  if (reference !== undefined && !passes(follow(check.root, reference), value, deeper)) return false;
  if (allOf !== undefined && !(Array.isArray(allOf) && allOf.every((part) => passes(part, value, deeper)))) {
    return false;
  }
  if (schema["type"] !== undefined && !hasType(schema["type"], value)) return false;
  if (allowed !== undefined && !(Array.isArray(allowed) && allowed.some((item) => jsonEqual(item, value))))
    return false;
  if (Object.hasOwn(schema, "const") && !jsonEqual(schema["const"], value)) return false;
  if (typeof value === "number" || typeof value === "bigint") return inRange(schema, value);
  if (typeof value === "string") return isText(schema, value);
  if (Array.isArray(value)) return areItems(schema, value, deeper);
  return isObject(value) ? areMembers(schema, value, deeper) : true;
}

/** Schemas are part of a program, which doesn't change: their keywords are looked through once. */
const understood = new WeakMap<object, boolean>();

function isUnderstood(schema: Record<string, unknown>): boolean {
  let known = understood.get(schema);
  if (known === undefined) {
    known = Object.keys(schema).every((keyword) => KNOWN.has(keyword) || keyword.startsWith("x-"));
    understood.set(schema, known);
  }
  return known;
}

const tokens = new Map<string, string[]>();
const TOKENS_MAX = 1000;

function follow(root: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#/")) return false;
  let path = tokens.get(reference);
  if (path === undefined) {
    path = decodePointer(decodeURIComponent(reference.slice(1))) ?? [];
    if (tokens.size < TOKENS_MAX) tokens.set(reference, path);
  }
  return resolvePointer(root, path) ?? false;
}

function hasType(type: unknown, value: unknown): boolean {
  if (Array.isArray(type)) return type.some((one) => hasType(one, value));
  switch (type) {
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value) || typeof value === "bigint";
    case "number":
      return Number.isFinite(value) || typeof value === "bigint";
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    default:
      return (type === "string" || type === "boolean") && typeof value === type;
  }
}

function inRange(schema: Record<string, unknown>, value: number | bigint): boolean {
  const { format } = schema;
  if (format !== undefined && !isOfNumberFormat(format, value)) return false;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  return (
    (minimum === undefined || (typeof minimum === "number" && value >= minimum)) &&
    (maximum === undefined || (typeof maximum === "number" && value <= maximum)) &&
    (exclusiveMinimum === undefined || (typeof exclusiveMinimum === "number" && value > exclusiveMinimum)) &&
    (exclusiveMaximum === undefined || (typeof exclusiveMaximum === "number" && value < exclusiveMaximum))
  );
}

/** Formats of numbers: of strings ajv asks nothing for them. */
const NUMBER_FORMATS = ["int32", "int64", "float", "double"];

function isOfNumberFormat(format: unknown, value: number | bigint): boolean {
  const isInteger = Number.isInteger(value) || typeof value === "bigint";
  if (format === "int32") return isInteger && value >= -(2 ** 31) && value < 2 ** 31;
  if (format === "int64") return isInteger && value >= -(2 ** 63) && value < 2 ** 63;
  return format === "float" || format === "double";
}

/** Formats that say nothing about a string. */
const FREE_FORMATS = new Set(["password", "binary", ...NUMBER_FORMATS]);
const FORMATS: Record<string, RegExp> = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  "date-time": /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/,
  date: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/,
};

function isText(schema: Record<string, unknown>, value: string): boolean {
  const { minLength, maxLength, format } = schema;
  if (minLength !== undefined && !(typeof minLength === "number" && hasCharacters(value, minLength)))
    return false;
  if (maxLength !== undefined && !(typeof maxLength === "number" && value.length <= maxLength)) return false;
  if (format === undefined) return true;
  if (typeof format !== "string") return false;
  return (
    FREE_FORMATS.has(format) || (Object.hasOwn(FORMATS, format) && (FORMATS[format]?.test(value) ?? false))
  );
}

/** JSON Schema counts characters, of which one has one or two UTF-16 units. */
function hasCharacters(value: string, min: number): boolean {
  if (value.length >= min * 2) return true;
  let count = 0;
  for (const _ of value) count++;
  return count >= min;
}

function areItems(schema: Record<string, unknown>, value: unknown[], check: FastCheck): boolean {
  const { items, minItems, maxItems } = schema;
  if (minItems !== undefined && !(typeof minItems === "number" && value.length >= minItems)) return false;
  if (maxItems !== undefined && !(typeof maxItems === "number" && value.length <= maxItems)) return false;
  return items === undefined || value.every((item) => passes(items, item, check));
}

function areMembers(
  schema: Record<string, unknown>,
  value: Record<string, unknown>,
  check: FastCheck,
): boolean {
  const { required, properties, additionalProperties } = schema;
  if (required !== undefined) {
    if (!Array.isArray(required)) return false;
    if (!required.every((name) => typeof name === "string" && Object.hasOwn(value, name))) return false;
  }
  if (properties !== undefined && !isObject(properties)) return false;
  for (const name of Object.keys(value)) {
    const known = properties !== undefined && Object.hasOwn(properties, name);
    const member = known ? properties[name] : (additionalProperties ?? true);
    if (!passes(member, value[name], check)) return false;
  }
  return true;
}
