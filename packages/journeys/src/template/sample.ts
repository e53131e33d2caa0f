import { isObject, ownArray, ownObject, ownString, ownValue } from "../document/json.ts";
import type { JsonObject, JsonValue } from "../document/json.ts";
import { dereferenced } from "./openapi-shape.ts";

const DEPTH = 8;

const BY_FORMAT: Record<string, string> = {
  email: "someone@example.com",
  uuid: "11111111-1111-4111-8111-111111111111",
  date: "2025-01-31",
  "date-time": "2025-01-31T12:00:00Z",
  uri: "https://example.com/",
  url: "https://example.com/",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  byte: "c2FtcGxl",
};

/** A value that fits a schema as well as can be told without trying: examples and defaults first, required members only where some are. */
export function sampleOf(root: JsonObject, schema: JsonValue | undefined, depth = 0): JsonValue {
  if (depth > DEPTH) return null;
  const found = dereferenced(root, schema);
  for (const key of ["const", "example", "default"]) {
    const value = ownValue(found, key);
    if (value !== undefined) return value;
  }
  const listed = ownArray(found, "examples")[0] ?? ownArray(found, "enum")[0];
  if (listed !== undefined) return listed;
  const parts = ownArray(found, "allOf");
  if (parts.length > 0) return merged(root, [...parts, { ...found, allOf: [] }], depth);
  const [alternative] = [...ownArray(found, "oneOf"), ...ownArray(found, "anyOf")];
  if (alternative !== undefined) return sampleOf(root, alternative, depth + 1);
  return byType(root, found, depth);
}

function merged(root: JsonObject, parts: JsonValue[], depth: number): JsonValue {
  const samples = parts.map((part) => sampleOf(root, part, depth + 1));
  const objects = samples.filter(isObject);
  return objects.length > 0
    ? Object.assign({}, ...objects)
    : (samples.find((sample) => sample !== null) ?? null);
}

function byType(root: JsonObject, schema: JsonObject, depth: number): JsonValue {
  const declared = ownValue(schema, "type");
  const type = Array.isArray(declared) ? declared.find((item) => item !== "null") : declared;
  if (type === "array") {
    return Number(ownValue(schema, "minItems") ?? 0) > 0
      ? [sampleOf(root, ownValue(schema, "items"), depth + 1)]
      : [];
  }
  if (type === "integer" || type === "number") return numberFor(schema);
  if (type === "boolean") return true;
  if (type === "string") return textFor(schema);
  if (type === "object" || ownObject(schema, "properties") !== undefined)
    return objectFor(root, schema, depth);
  return null;
}

function numberFor(schema: JsonObject): number {
  const minimum = ownValue(schema, "minimum");
  const maximum = ownValue(schema, "maximum");
  if (typeof minimum === "number")
    return Math.ceil(minimum) + (ownValue(schema, "exclusiveMinimum") === true ? 1 : 0);
  return typeof maximum === "number" && maximum < 1 ? Math.floor(maximum) : 1;
}

function textFor(schema: JsonObject): string {
  const known = BY_FORMAT[ownString(schema, "format") ?? ""];
  if (known !== undefined) return known;
  const min = ownValue(schema, "minLength");
  const max = ownValue(schema, "maxLength");
  const text = "sample".padEnd(typeof min === "number" ? Math.min(min, 1000) : 0, "x");
  return typeof max === "number" && max < text.length ? text.slice(0, max) : text;
}

function objectFor(root: JsonObject, schema: JsonObject, depth: number): JsonObject {
  const properties = ownObject(schema, "properties") ?? {};
  const made: JsonObject = {};
  const required = ownArray(schema, "required");
  // A schema that requires nothing says little: near the top everything that may be sent is shown.
  const names = required.length > 0 || depth > 1 ? required : Object.keys(properties);
  for (const name of names) {
    if (typeof name !== "string" || name === "__proto__" || !Object.hasOwn(properties, name)) continue;
    const property = dereferenced(root, properties[name]);
    if (ownValue(property, "readOnly") !== true) made[name] = sampleOf(root, property, depth + 1);
  }
  return made;
}
