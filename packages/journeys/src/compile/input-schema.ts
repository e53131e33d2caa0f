import { isObject, ownValue } from "@waymark/openapi/json.ts";
import { decodePointer, resolvePointer } from "@waymark/openapi/pointer.ts";

type Schema = Readonly<Record<string, unknown>> | undefined;

const PARTS_MAX = 200;
/** Keywords whose schemas always apply to the same value, and those whose schemas may. */
const ALWAYS = ["allOf"];
const PERHAPS = ["allOf", "anyOf", "oneOf"];
const PERHAPS_ONE = ["if", "then", "else"];

/**
 * The schemas that apply to the value of a schema in its place: itself, what it refers to, and the members of its
 * combinations.
 *
 * @param root a schema that stands alone: its references lead into itself
 */
function partsOf(root: unknown, schema: unknown, perhaps: boolean): Record<string, unknown>[] {
  const parts: Record<string, unknown>[] = [];
  const open: unknown[] = [schema];
  for (let next = open.shift(); next !== undefined && parts.length < PARTS_MAX; next = open.shift()) {
    if (!isObject(next) || parts.includes(next)) continue;
    parts.push(next);
    const reference = next["$ref"];
    if (typeof reference === "string") open.push(follow(root, reference));
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

function follow(root: unknown, reference: string): unknown {
  const tokens = reference.startsWith("#") ? decodePointer(reference.slice(1)) : undefined;
  return tokens === undefined ? true : (resolvePointer(root, tokens) ?? true);
}

/** A keyword of a schema within a schema that stands alone; one beside a reference goes before what is referred to. */
export function keywordOf(root: unknown, schema: unknown, keyword: string): unknown {
  return partsOf(root, schema, false).find((part) => Object.hasOwn(part, keyword))?.[keyword];
}

/** The properties that a schema describes, wherever in it; undefined when it describes none. */
export function propertiesOf(schema: Schema): Record<string, unknown> | undefined {
  const found = new Map<string, unknown[]>();
  for (const part of partsOf(schema, schema, true)) {
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

/** How a schema treats inputs that it does not name: it refuses them, describes them as a kind, or says nothing. */
export function openness(schema: Schema): "closed" | "open" | "unsaid" {
  const parts = partsOf(schema, schema, false);
  const says = (keyword: string) => parts.map((part) => part[keyword]).filter((value) => value !== undefined);
  const patterns = says("patternProperties").length > 0;
  const others = [...says("additionalProperties"), ...says("unevaluatedProperties")];
  if (others.includes(false)) return patterns ? "open" : "closed";
  return patterns || others.length > 0 ? "open" : "unsaid";
}
