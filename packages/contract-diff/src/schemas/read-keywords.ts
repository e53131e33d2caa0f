import {
  isObject,
  ownArray,
  ownObject,
  ownValue,
  type JsonObject,
  type JsonValue,
} from "@waymark/openapi/json.ts";
import type { At, Description } from "../read/description.ts";
import type { Conjunction, SchemaNode } from "../read/node.ts";
import { NUMBER_FORMATS, TEXT_FORMATS } from "./formats.ts";
import {
  ANY_SHAPE,
  canonicalText,
  type Condition,
  type NameRule,
  type Shape,
  TYPES,
  type TypeName,
} from "./shape.ts";

const TRIVIAL_PATTERNS = new Set(["", ".*", "^.*$", "^", "$", "^.*", ".*$", "[\\s\\S]*", "^[\\s\\S]*$"]);
const SMALL: Record<string, [number, number]> = {
  int8: [-128, 127],
  int16: [-32_768, 32_767],
  uint8: [0, 255],
  uint16: [0, 65_535],
};

/** Returns a schema's own keywords as a shape, without `allOf`, alternatives and references. */
export function readKeywords(node: SchemaNode): Shape {
  const at: At = { value: node.value, file: node.file, pointer: node.pointer };
  const { value } = node;
  if (!isObject(value)) return { ...ANY_SHAPE, origin: [node] };
  const description = node.owner;
  if (description === undefined) return { ...ANY_SHAPE, ...readTypes(value, node), origin: [node] };
  const types = readTypes(value, node);
  return {
    ...ANY_SHAPE,
    ...types,
    ...readValues(value),
    ...readNumbers(value, node),
    ...readStrings(description, at),
    ...readFormats(value, types.types),
    ...readArrays(description, at),
    ...readObjects(description, at),
    not: ownObjectOrBoolean(value, "not") ? [description.schema(at, "not")] : [],
    conditions: readCondition(description, at),
    annotations: {
      default: ownValue(value, "default"),
      readOnly: ownValue(value, "readOnly") === true,
      writeOnly: ownValue(value, "writeOnly") === true,
      extensible: Array.isArray(ownValue(value, "x-extensible-enum"))
        ? ownArray(value, "x-extensible-enum")
        : undefined,
      xml: ownValue(value, "xml"),
    },
    origin: [node],
  };
}

function readTypes(value: JsonObject, { dialect }: SchemaNode): Pick<Shape, "types" | "integer"> {
  const declared = ownValue(value, "type");
  const names = (Array.isArray(declared) ? declared : [declared]).filter((name) => typeof name === "string");
  const known = names.filter((name) => name === "integer" || name === "file" || isTypeName(name));
  if (known.length === 0) return { types: ANY_SHAPE.types, integer: false };
  const types = new Set<TypeName>(
    known.map((name) => (name === "integer" ? "number" : name === "file" ? "string" : asType(name))),
  );
  const nullable = ownValue(value, "nullable") === true || ownValue(value, "x-nullable") === true;
  if (nullable && dialect !== "3.1") types.add("null");
  return { types, integer: known.includes("integer") && !known.includes("number") };
}

function isTypeName(name: string): name is TypeName {
  return TYPES.some((type) => type === name);
}

function asType(name: string): TypeName {
  return isTypeName(name) ? name : "string";
}

function readValues(value: JsonObject): Partial<Shape> {
  const listed = Array.isArray(ownValue(value, "enum")) ? ownArray(value, "enum") : undefined;
  const fixed = ownValue(value, "const");
  if (listed === undefined && fixed === undefined) return {};
  let values = new Map((listed ?? [fixed ?? null]).map((item) => [canonicalText(item), item]));
  if (listed !== undefined && fixed !== undefined) {
    const text = canonicalText(fixed);
    values = new Map([...values].filter(([key]) => key === text));
  }
  return { values };
}

function readNumbers(value: JsonObject, { dialect }: SchemaNode): Partial<Shape> {
  const minimum = ownNumber(value, "minimum");
  const maximum = ownNumber(value, "maximum");
  const multiple = ownNumber(value, "multipleOf");
  const flag = (key: string) => dialect !== "3.1" || typeof ownValue(value, key) === "boolean";
  const isLess = flag("exclusiveMinimum") ? ownValue(value, "exclusiveMinimum") === true : undefined;
  const isMore = flag("exclusiveMaximum") ? ownValue(value, "exclusiveMaximum") === true : undefined;
  const format = ownValue(value, "format");
  const [low, high] = typeof format === "string" && Object.hasOwn(SMALL, format) ? (SMALL[format] ?? []) : [];
  return {
    minimum: isLess === true ? low : (minimum ?? low),
    exclusiveMinimum: isLess === true ? minimum : ownNumber(value, "exclusiveMinimum"),
    maximum: isMore === true ? high : (maximum ?? high),
    exclusiveMaximum: isMore === true ? maximum : ownNumber(value, "exclusiveMaximum"),
    multipleOf: multiple === undefined || multiple <= 0 ? [] : [multiple],
  };
}

function readStrings(description: Description, at: At): Partial<Shape> {
  const { value } = at;
  const pattern = ownValue(value, "pattern");
  const content = ["contentMediaType", "contentEncoding"].flatMap((key) => {
    const text = ownValue(value, key);
    return typeof text === "string" ? [[key, text] as const] : [];
  });
  return {
    minLength: ownNumber(value, "minLength") ?? 0,
    maxLength: ownNumber(value, "maxLength"),
    patterns: new Set(typeof pattern === "string" && !TRIVIAL_PATTERNS.has(pattern) ? [pattern] : []),
    content: new Map(content),
    contentSchema: content.length === 0 ? [] : description.schema(at, "contentSchema"),
  };
}

/** A format restricts the types that it is known for, as far as the schema allows them; an unknown one restricts both. */
function readFormats(value: JsonObject, types: ReadonlySet<TypeName>): Partial<Shape> {
  const format = ownValue(value, "format");
  if (typeof format !== "string") return {};
  const [isNumber, isString] = [types.has("number"), types.has("string")];
  return {
    numberFormat: isNumber && !(isString && TEXT_FORMATS.has(format)) ? format : undefined,
    formats: new Set(isString && !(isNumber && NUMBER_FORMATS.has(format)) ? [format] : []),
  };
}

function readArrays(description: Description, at: At): Partial<Shape> {
  const { value } = at;
  const tuple = ownValue(value, "prefixItems") ?? ownValue(value, "items");
  const key = ownValue(value, "prefixItems") === undefined ? "items" : "prefixItems";
  const listAt = Array.isArray(tuple) ? description.child(at, key) : undefined;
  const prefixItems = Array.isArray(tuple)
    ? tuple.map((_, index) => description.schema(listAt, String(index)))
    : [];
  const isTuple = key === "items" && Array.isArray(tuple);
  const items = description.schema(at, isTuple ? "additionalItems" : "items");
  const contains = description.schema(at, "contains");
  const min = ownNumber(value, "minContains") ?? 1;
  const max = ownNumber(value, "maxContains");
  const counts = ownValue(value, "contains") !== undefined && (min > 0 || max !== undefined);
  return {
    minItems: ownNumber(value, "minItems") ?? 0,
    maxItems: smaller(
      ownNumber(value, "maxItems"),
      items[0]?.value === false ? prefixItems.length : undefined,
    ),
    uniqueItems: ownValue(value, "uniqueItems") === true,
    prefixItems,
    items: items[0]?.value === false ? [] : items,
    contains: counts ? [{ schema: contains, min, max }] : [],
  };
}

function readObjects(description: Description, at: At): Partial<Shape> {
  const { value } = at;
  const rule = readRule(description, at);
  const dependencies = { ...ownObject(value, "dependencies"), ...ownObject(value, "dependentRequired") };
  const dependentRequired = Object.entries(dependencies).flatMap(([name, names]) =>
    Array.isArray(names) ? [[name, new Set(names.map(String))] as const] : [],
  );
  const schemas = [
    ...describedMembers(description, at, "dependencies"),
    ...describedMembers(description, at, "dependentSchemas"),
  ];
  return {
    rules: rule === undefined ? [] : [rule],
    required: new Set(ownArray(value, "required").filter((name) => typeof name === "string")),
    minProperties: ownNumber(value, "minProperties") ?? 0,
    maxProperties: ownNumber(value, "maxProperties"),
    dependentRequired: new Map(dependentRequired),
    dependentSchemas: new Map(schemas),
    propertyNames: description.schema(at, "propertyNames"),
  };
}

function readRule(description: Description, at: At): NameRule | undefined {
  const properties = describedMembers(description, at, "properties");
  const patterns = describedMembers(description, at, "patternProperties");
  const additional = ownValue(at.value, "additionalProperties");
  const closes = additional !== undefined && additional !== true;
  if (properties.length === 0 && patterns.length === 0 && additional === undefined) return undefined;
  return {
    properties: new Map(properties),
    patterns: patterns.map(([source, schema]) => ({ source, schema })),
    additional: closes
      ? description.schema(at, "additionalProperties")
      : additional === true
        ? []
        : undefined,
  };
}

function describedMembers(description: Description, at: At, key: string): [string, Conjunction][] {
  const parent = description.child(at, key);
  if (parent === undefined || !isObject(parent.value)) return [];
  return Object.entries(parent.value).flatMap(([name, schema]) =>
    isObject(schema) || typeof schema === "boolean"
      ? [[name, description.schema(parent, name)] satisfies [string, Conjunction]]
      : [],
  );
}

function readCondition(description: Description, at: At): Condition[] {
  if (!ownObjectOrBoolean(at.value, "if")) return [];
  const condition = {
    test: description.schema(at, "if"),
    whenTrue: description.schema(at, "then"),
    whenFalse: description.schema(at, "else"),
  };
  return condition.whenTrue.length === 0 && condition.whenFalse.length === 0 ? [] : [condition];
}

function ownObjectOrBoolean(value: JsonValue, key: string): boolean {
  const found = ownValue(value, key);
  return isObject(found) || typeof found === "boolean";
}

export function ownNumber(value: JsonValue, key: string): number | undefined {
  const found = ownValue(value, key);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

export function smaller(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}

export function larger(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.max(a, b);
}
