import type { Description } from "@waymark/contract-diff/read/description.ts";
import type { SchemaNode } from "@waymark/contract-diff/read/node.ts";
import { isObject, type JsonValue, ownArray, ownString, ownValue } from "@waymark/openapi/json.ts";

const VALUE_CHARS_MAX = 200;
const VALUES_MAX = 20;
/** The depth to which the type of a list's items is named. */
const DEPTH_MAX = 4;

/** Returns a value as JSON, cut where it is long. */
export function shortJson(value: JsonValue, max = VALUE_CHARS_MAX): string {
  const text = JSON.stringify(value);
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

/** Returns the type of a schema's values in words. @param layers the schema and those that apply with it */
export function typeOf(description: Description, layers: readonly SchemaNode[], depth = 0): string {
  const [node] = layers;
  if (node === undefined) return "any value";
  if (node.unresolved !== undefined) return `unknown: the reference ${node.unresolved} leads nowhere`;
  if (node.value === false) return "no value";
  const types = typesOf(layers);
  const isNullable = layers.some(({ value }) => ownValue(value, "nullable") === true);
  const words = types.map((type) => {
    if (type === "array") return arrayOf(description, layers, depth);
    return type === "object" && node.name !== undefined ? node.name : type;
  });
  if (words.length === 0) words.push(withoutType(layers));
  if (isNullable && !types.includes("null")) words.push("null");
  return words.join(" or ");
}

function typesOf(layers: readonly SchemaNode[]): string[] {
  for (const { value } of layers) {
    const type = ownValue(value, "type");
    if (typeof type === "string") return [type];
    if (Array.isArray(type)) return type.filter((one) => typeof one === "string");
  }
  return layers.some(({ value }) => isObject(value) && Object.hasOwn(value, "properties")) ? ["object"] : [];
}

function arrayOf(description: Description, layers: readonly SchemaNode[], depth: number): string {
  const items = itemsOf(description, layers);
  if (items === undefined || depth >= DEPTH_MAX) return "array";
  return `array of ${typeOf(description, [items], depth + 1)}`;
}

/** Returns the schema of a list's items. */
export function itemsOf(description: Description, layers: readonly SchemaNode[]): SchemaNode | undefined {
  for (const { value, file, pointer } of layers) {
    const items = description.child({ value, file, pointer }, "items");
    if (items !== undefined && !Array.isArray(items.value)) return description.node(items);
  }
  return undefined;
}

function withoutType(layers: readonly SchemaNode[]): string {
  const name = layers[0]?.name;
  const has = (key: string) => layers.some(({ value }) => ownValue(value, key) !== undefined);
  if (name !== undefined) return name;
  if (has("oneOf")) return "one of several";
  if (has("anyOf")) return "any of several";
  return has("enum") || has("const") ? "fixed values" : "any value";
}

/** Returns the limits of a schema's values, each in words. */
export function factsOf(layers: readonly SchemaNode[]): string[] {
  return [...new Set(layers.flatMap(({ value }) => (isObject(value) ? factsOfOne(value) : [])))];
}

function factsOfOne(schema: JsonValue): string[] {
  const facts: (string | undefined)[] = [
    ownString(schema, "format"),
    valuesOf(schema),
    numbersOf(schema),
    countOf(schema, { least: "minLength", most: "maxLength", of: "characters" }),
    countOf(schema, { least: "minItems", most: "maxItems", of: "items" }),
    countOf(schema, { least: "minProperties", most: "maxProperties", of: "properties" }),
    valueFact(schema, "multipleOf", "a multiple of"),
    textFact(schema, "pattern", "matches"),
    textFact(schema, "contentMediaType", "contains"),
    textFact(schema, "contentEncoding", "encoded as"),
    flag(schema, "uniqueItems", "no item twice"),
    flag(schema, "readOnly", "only in responses"),
    flag(schema, "writeOnly", "only in requests"),
    ownValue(schema, "additionalProperties") === false || ownValue(schema, "unevaluatedProperties") === false
      ? "no other properties"
      : undefined,
    discriminatorOf(schema),
    valueFact(schema, "default", "default"),
    valueFact(schema, "example", "example"),
  ];
  return facts.filter((fact) => fact !== undefined);
}

function valuesOf(schema: JsonValue): string | undefined {
  const constant = ownValue(schema, "const");
  if (constant !== undefined) return `always ${shortJson(constant)}`;
  const values = ownArray(schema, "enum");
  if (values.length === 0) return undefined;
  const shown = values.slice(0, VALUES_MAX).map((value) => shortJson(value, 60));
  const more = values.length > VALUES_MAX ? ` and ${values.length - VALUES_MAX} more` : "";
  return `one of ${shown.join(", ")}${more}`;
}

function numbersOf(schema: JsonValue): string | undefined {
  const parts = [
    bound(schema, { plain: "minimum", exclusive: "exclusiveMinimum", words: ["at least", "more than"] }),
    bound(schema, { plain: "maximum", exclusive: "exclusiveMaximum", words: ["at most", "less than"] }),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(", ");
}

/** Returns a bound in words. In 3.0, the exclusive bound is a flag beside the plain one; since 3.1, it is a number of its own. */
function bound(
  schema: JsonValue,
  { plain, exclusive, words }: { plain: string; exclusive: string; words: readonly [string, string] },
): string | undefined {
  const limit = ownValue(schema, plain);
  const strict = ownValue(schema, exclusive);
  if (typeof strict === "number") return `${words[1]} ${strict}`;
  if (typeof limit !== "number") return undefined;
  return `${words[strict === true ? 1 : 0]} ${limit}`;
}

function countOf(
  schema: JsonValue,
  { least, most, of }: { least: string; most: string; of: string },
): string | undefined {
  const from = ownValue(schema, least);
  const to = ownValue(schema, most);
  const words = (count: number) => `${count} ${count === 1 ? of.replace(/ies$/, "y").replace(/s$/, "") : of}`;
  if (typeof from === "number" && from > 0) {
    if (typeof to !== "number") return `at least ${words(from)}`;
    return from === to ? `exactly ${words(from)}` : `${from} to ${words(to)}`;
  }
  return typeof to === "number" ? `at most ${words(to)}` : undefined;
}

function valueFact(schema: JsonValue, key: string, words: string): string | undefined {
  const value = ownValue(schema, key);
  return value === undefined ? undefined : `${words} ${shortJson(value)}`;
}

function textFact(schema: JsonValue, key: string, words: string): string | undefined {
  const value = ownString(schema, key);
  return value === undefined ? undefined : `${words} ${value.slice(0, VALUE_CHARS_MAX)}`;
}

function flag(schema: JsonValue, key: string, words: string): string | undefined {
  return ownValue(schema, key) === true ? words : undefined;
}

function discriminatorOf(schema: JsonValue): string | undefined {
  const discriminator = ownValue(schema, "discriminator");
  const name = typeof discriminator === "string" ? discriminator : ownString(discriminator, "propertyName");
  return name === undefined ? undefined : `chosen by the property ${name}`;
}
