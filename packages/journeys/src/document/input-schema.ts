import { isObject, ownValue } from "@waymark/openapi/json.ts";
import { resolveSchema } from "./schema-references.ts";

type Schema = Readonly<Record<string, unknown>> | undefined;

const PARTS_MAX = 200;
/** Keywords whose subschemas always apply to the same value, and those whose subschemas may apply. */
const ALWAYS = ["allOf"];
const PERHAPS = ["allOf", "anyOf", "oneOf"];
const PERHAPS_ONE = ["if", "then", "else"];

/**
 * The schemas that apply to the value of a schema in its place: itself, what it refers to, and the members of its
 * combinations.
 *
 * @param root what references are resolved in: a self-contained schema, or the document that has the schema
 */
function partsOf(root: unknown, schema: unknown, perhaps: boolean): Record<string, unknown>[] {
  const parts: Record<string, unknown>[] = [];
  const open: unknown[] = [schema];
  for (let next = open.shift(); next !== undefined && parts.length < PARTS_MAX; next = open.shift()) {
    if (!isObject(next) || parts.includes(next)) continue;
    parts.push(next);
    const reference = next["$ref"];
    if (typeof reference === "string") open.push(resolveSchema(root, reference, next) ?? true);
    for (const keyword of perhaps ? PERHAPS : ALWAYS) {
      const list: unknown = next[keyword];
      const items: unknown[] = Array.isArray(list) ? list : [];
      open.push(...items);
    }
    if (!perhaps) continue;
    for (const keyword of PERHAPS_ONE) open.push(next[keyword] ?? true);
    const dependent = next["dependentSchemas"];
    if (isObject(dependent)) open.push(...Object.values(dependent));
  }
  return parts;
}

/** Returns all schemas that apply, or may apply, to the value of a subschema. */
export function schemasOf(root: unknown, schema: unknown): Record<string, unknown>[] {
  return partsOf(root, schema, true);
}

/**
 * A keyword of a subschema of a self-contained schema. A keyword beside a reference takes precedence over the referenced
 * schema.
 */
export function keywordOf(root: unknown, schema: unknown, keyword: string): unknown {
  return partsOf(root, schema, false).find((part) => Object.hasOwn(part, keyword))?.[keyword];
}

/** The properties that a schema describes at any depth; undefined if it describes none. */
export function propertiesOf(schema: Schema, root: unknown = schema): Record<string, unknown> | undefined {
  const found = new Map<string, unknown[]>();
  for (const part of partsOf(root, schema, true)) {
    const properties = part["properties"];
    if (!isObject(properties)) continue;
    for (const [name, property] of Object.entries(properties)) {
      found.set(name, [...(found.get(name) ?? []), property]);
    }
  }
  if (found.size === 0) return undefined;
  return Object.fromEntries(
    [...found].map(([name, list]) => [name, list.length === 1 ? list[0] : { allOf: list }]),
  );
}

/** The names that must be given: required and without a default. */
export function requiredInputs(schema: Schema): string[] {
  const properties = propertiesOf(schema);
  const names = partsOf(schema, schema, false).flatMap(({ required }) =>
    Array.isArray(required) ? required : [],
  );
  return [...new Set(names)].filter(
    (name): name is string =>
      typeof name === "string" && keywordOf(schema, ownValue(properties, name), "default") === undefined,
  );
}

/** How a schema treats inputs that it does not name: it refuses them, describes them by a schema, or allows any. */
export function openness(schema: Schema): "closed" | "open" | "unsaid" {
  const parts = partsOf(schema, schema, false);
  const says = (keyword: string) => parts.map((part) => part[keyword]).filter((value) => value !== undefined);
  const patterns = says("patternProperties").length > 0;
  const others = [...says("additionalProperties"), ...says("unevaluatedProperties")];
  if (others.includes(false)) return patterns ? "open" : "closed";
  return patterns || others.length > 0 ? "open" : "unsaid";
}
