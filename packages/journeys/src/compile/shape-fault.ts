import { isObject, ownObject } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";

/**
 * Where a value first differs from a JSON Schema, as a path; undefined where it is valid. It knows the keywords that the models'
 * schemas have and no others: 2 ms for an artifact of 10 kB, where loading the models takes 20.
 */
export function shapeFault(root: JsonObject, value: unknown): string | undefined {
  return fault(root, root, value)?.join("/");
}

/** The path from the value to its first fault. Allocates nothing if there is none, which is the usual case. */
function fault(root: JsonObject, schema: JsonObject, value: unknown): string[] | undefined {
  const { $ref: reference, anyOf, oneOf } = schema;
  if (typeof reference === "string") return fault(root, definition(root, reference), value);
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) return faultOfAll(root, alternatives, value);
  if (!isOfKind(schema, value)) return [];
  if (Array.isArray(value)) return faultInItems(root, schema, value);
  return isObject(value) ? faultInMembers(root, schema, value) : undefined;
}

function definition(root: JsonObject, reference: string): JsonObject {
  const found = ownObject(root["$defs"], reference.slice("#/$defs/".length));
  if (found === undefined) throw new Error(`the schema has no ${reference}`);
  return found;
}

/** If no alternative matches, the deepest fault, because it belongs to the alternative that was probably meant. */
function faultOfAll(
  root: JsonObject,
  alternatives: readonly unknown[],
  value: unknown,
): string[] | undefined {
  let deepest: string[] = [];
  for (const alternative of alternatives) {
    const path = isObject(alternative) ? fault(root, alternative, value) : undefined;
    if (path === undefined) return undefined;
    if (path.length > deepest.length) deepest = path;
  }
  return deepest;
}

function isOfKind(schema: JsonObject, value: unknown): boolean {
  const { type, const: only, enum: choices, minimum, maximum } = schema;
  if (only !== undefined && value !== only) return false;
  if (Array.isArray(choices) && !choices.some((choice) => choice === value)) return false;
  if (typeof minimum === "number" && !(typeof value === "number" && value >= minimum)) return false;
  if (typeof maximum === "number" && !(typeof value === "number" && value <= maximum)) return false;
  if (Array.isArray(type)) return type.some((one) => isOfType(one, value));
  return type === undefined || isOfType(type, value);
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}

function faultInItems(root: JsonObject, schema: JsonObject, value: readonly unknown[]): string[] | undefined {
  const { items, prefixItems, minItems, maxItems } = schema;
  if (typeof minItems === "number" && value.length < minItems) return [];
  if (typeof maxItems === "number" && value.length > maxItems) return [];
  for (let index = 0; index < value.length; index++) {
    const own = Array.isArray(prefixItems) ? prefixItems[index] : items;
    const inside = isObject(own) ? fault(root, own, value[index]) : undefined;
    if (inside !== undefined) return [String(index), ...inside];
  }
  return undefined;
}

function faultInMembers(root: JsonObject, schema: JsonObject, value: JsonObject): string[] | undefined {
  const { properties, required, additionalProperties } = schema;
  if (Array.isArray(required)) {
    for (const name of required) {
      if (typeof name === "string" && !Object.hasOwn(value, name)) return [name];
    }
  }
  for (const name of Object.keys(value)) {
    const isNamed = isObject(properties) && Object.hasOwn(properties, name);
    const own = isNamed ? properties[name] : additionalProperties;
    if (own === false) return [name];
    const inside = isObject(own) ? fault(root, own, value[name]) : undefined;
    if (inside !== undefined) return [name, ...inside];
  }
  return undefined;
}
