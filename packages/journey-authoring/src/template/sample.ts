// Not openapi-sampler: it limits the depth of a sample, but not its size, and throws for a reference that leads nowhere.
import { isObject, ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { dereferenced, propertiesOf } from "./openapi-shape.ts";
import { textMatching } from "./pattern-text.ts";

const DEPTH = 8;
/**
 * The maximum number of values in a sample; further ones are null. A schema that refers to itself many times would give
 * billions.
 */
const VALUES_MAX = 2_000;

interface Sampling {
  root: JsonObject;
  left: number;
}

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

/** A value that probably matches a schema: examples and defaults first; only the required members, if there are any. */
export function sampleOf(root: JsonObject, schema: JsonValue | undefined): JsonValue {
  return sample({ root, left: VALUES_MAX }, schema, 0);
}

/** A value from the description, unless it is too large for a journey or not allowed in one. */
export function reasonable(value: JsonValue | undefined): JsonValue | undefined {
  return value !== undefined && sizeOf(value, VALUES_MAX) <= VALUES_MAX ? value : undefined;
}

function sizeOf(value: JsonValue, most: number): number {
  // YAML has numbers that JSON has not, and JSON texts that UTF-8 can't hold.
  if (typeof value === "number" && !Number.isFinite(value)) return most + 1;
  if (typeof value === "string" && !value.isWellFormed()) return most + 1;
  if (typeof value !== "object" || value === null) return 1;
  // No document may contain such a key.
  if (Object.hasOwn(value, "__proto__")) return most + 1;
  let size = 1;
  for (const member of Object.values<JsonValue>(value)) {
    if (size > most) break;
    size += sizeOf(member, most - size);
  }
  return size;
}

function sample(sampling: Sampling, schema: JsonValue | undefined, depth: number): JsonValue {
  const { root } = sampling;
  sampling.left -= 1;
  if (depth > DEPTH || sampling.left < 0) return null;
  const found = dereferenced(root, schema);
  for (const value of [
    ...["const", "example", "default"].map((key) => ownValue(found, key)),
    ownArray(found, "examples")[0],
    ownArray(found, "enum")[0],
  ]) {
    const shown = reasonable(value);
    if (shown !== undefined) return shown;
  }
  if (ownArray(found, "allOf").length > 0) return merged(sampling, found, depth);
  const [alternative] = [...ownArray(found, "oneOf"), ...ownArray(found, "anyOf")];
  if (alternative !== undefined) return sample(sampling, alternative, depth + 1);
  return byType(sampling, found, depth);
}

/** The merged parts of an `allOf`: one part may require what another describes. */
function merged(sampling: Sampling, schema: JsonObject, depth: number): JsonValue {
  const { root } = sampling;
  const parts = [...ownArray(schema, "allOf"), { ...schema, allOf: [] }];
  const required = requiredOf(root, schema);
  const properties = propertiesOf(root, schema);
  const samples = parts.map((part) => sample(sampling, withoutForeign(root, part), depth + 1));
  const objects = samples.filter(isObject);
  if (objects.length === 0 && required.length === 0) return samples.find((value) => value !== null) ?? null;
  const described = required.length > 0 ? objectFor(sampling, { properties, required }, depth) : {};
  return Object.assign(described, ...objects);
}

/** Without what a part requires and leaves to the others to describe. */
function withoutForeign(root: JsonObject, part: JsonValue): JsonObject {
  const found = dereferenced(root, part);
  const own = ownObject(found, "properties") ?? {};
  const required = ownArray(found, "required").filter(
    (name) => typeof name === "string" && Object.hasOwn(own, name),
  );
  return { ...found, required };
}

function requiredOf(root: JsonObject, schema: JsonValue, seen = new Set<JsonObject>()): JsonValue[] {
  const found = dereferenced(root, schema);
  if (seen.has(found)) return [];
  seen.add(found);
  return [
    ...ownArray(found, "required"),
    ...ownArray(found, "allOf").flatMap((part) => requiredOf(root, part, seen)),
  ];
}

function byType(sampling: Sampling, schema: JsonObject, depth: number): JsonValue {
  const declared = ownValue(schema, "type");
  const type = Array.isArray(declared) ? declared.find((item) => item !== "null") : declared;
  if (type === "array") {
    return Number(ownValue(schema, "minItems") ?? 0) > 0
      ? [sample(sampling, ownValue(schema, "items"), depth + 1)]
      : [];
  }
  if (type === "integer" || type === "number") return numberFor(schema);
  if (type === "boolean") return true;
  if (type === "string") return textFor(schema);
  if (type === "object" || ownObject(schema, "properties") !== undefined)
    return objectFor(sampling, schema, depth);
  return null;
}

function numberFor(schema: JsonObject): number {
  const minimum = ownValue(schema, "minimum");
  const maximum = ownValue(schema, "maximum");
  if (typeof minimum === "number" && Number.isFinite(minimum))
    return Math.ceil(minimum) + (ownValue(schema, "exclusiveMinimum") === true ? 1 : 0);
  return typeof maximum === "number" && Number.isFinite(maximum) && maximum < 1 ? Math.floor(maximum) : 1;
}

function textFor(schema: JsonObject): string {
  const known = BY_FORMAT[ownString(schema, "format") ?? ""];
  if (known !== undefined) return known;
  const min = ownValue(schema, "minLength");
  const max = ownValue(schema, "maxLength");
  const pattern = ownString(schema, "pattern");
  const matching = pattern === undefined ? undefined : textMatching(pattern, Number(min ?? 0));
  if (matching !== undefined) return matching;
  const text = "sample".padEnd(typeof min === "number" ? Math.min(min, 1000) : 0, "x");
  return typeof max === "number" && max < text.length ? text.slice(0, max) : text;
}

function objectFor(sampling: Sampling, schema: JsonObject, depth: number): JsonObject {
  const properties = ownObject(schema, "properties") ?? {};
  const made: JsonObject = {};
  const required = ownArray(schema, "required");
  // If a schema requires nothing, the sample has all properties near the top.
  const names = required.length > 0 || depth > 1 ? required : Object.keys(properties);
  for (const name of names) {
    if (typeof name !== "string" || name === "__proto__") continue;
    // A required property without a description can have any value.
    const property = Object.hasOwn(properties, name)
      ? dereferenced(sampling.root, properties[name])
      : { type: "string" };
    if (ownValue(property, "readOnly") !== true) made[name] = sample(sampling, property, depth + 1);
  }
  return made;
}
