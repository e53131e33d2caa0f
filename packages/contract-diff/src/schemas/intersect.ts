import { NEVER, type SchemaNode } from "../read/node.ts";
import { larger, smaller } from "./read-keywords.ts";
import { type Annotations, conjoin, type Contains, type Shape } from "./shape.ts";
import { keyOf } from "../read/node.ts";

/** Returns the values that both shapes allow; undefined if a look at the types shows that there is none. */
export function intersect(a: Shape, b: Shape): Shape | undefined {
  if (isPlain(a)) return { ...b, ...kept(a, b) };
  if (isPlain(b)) return { ...a, ...kept(a, b) };
  const types = new Set([...a.types].filter((type) => b.types.has(type)));
  if (types.size === 0) return undefined;
  return {
    types,
    ...intersectScalars(a, b),
    ...intersectArrays(a, b),
    ...intersectObjects(a, b),
    not: uniqueBy([...a.not, ...b.not], keyOf),
    exclusive: uniqueBy([...a.exclusive, ...b.exclusive], (list) => list.map(keyOf).join("/")),
    conditions: uniqueBy([...a.conditions, ...b.conditions], (condition) =>
      [condition.test, condition.whenTrue, condition.whenFalse].map(keyOf).join("/"),
    ),
    ...kept(a, b),
  };
}

/** True for a schema without keywords that restrict values. */
function isPlain(shape: Shape): boolean {
  const [only] = shape.origin;
  if (shape.origin.length > 1 || only === undefined) return shape.origin.length === 0;
  const { value } = only;
  return (
    value === true || (typeof value === "object" && value !== null && Object.keys(value).every(isAnnotation))
  );
}

function isAnnotation(key: string): boolean {
  return [
    "description",
    "title",
    "example",
    "examples",
    "deprecated",
    "allOf",
    "readOnly",
    "writeOnly",
    "default",
    "xml",
  ].includes(key);
}

function kept(a: Shape, b: Shape): { annotations: Annotations; origin: readonly SchemaNode[] } {
  return {
    annotations: {
      default: a.annotations.default ?? b.annotations.default,
      readOnly: a.annotations.readOnly || b.annotations.readOnly,
      writeOnly: a.annotations.writeOnly || b.annotations.writeOnly,
      extensible: a.annotations.extensible ?? b.annotations.extensible,
      xml: a.annotations.xml ?? b.annotations.xml,
    },
    origin: [...new Set([...a.origin, ...b.origin])],
  };
}

function intersectScalars(a: Shape, b: Shape) {
  return {
    integer: a.integer || b.integer,
    values: intersectValues(a.values, b.values),
    minimum: larger(a.minimum, b.minimum),
    maximum: smaller(a.maximum, b.maximum),
    exclusiveMinimum: larger(a.exclusiveMinimum, b.exclusiveMinimum),
    exclusiveMaximum: smaller(a.exclusiveMaximum, b.exclusiveMaximum),
    multipleOf: [...new Set([...a.multipleOf, ...b.multipleOf])],
    numberFormat: a.numberFormat ?? b.numberFormat,
    minLength: Math.max(a.minLength, b.minLength),
    maxLength: smaller(a.maxLength, b.maxLength),
    patterns: new Set([...a.patterns, ...b.patterns]),
    formats: new Set([...a.formats, ...b.formats]),
    content: new Map([...a.content, ...b.content]),
    contentSchema: conjoin([a.contentSchema, b.contentSchema]),
  };
}

function intersectValues(a: Shape["values"], b: Shape["values"]): Shape["values"] {
  if (a === undefined || b === undefined) return a ?? b;
  return new Map([...a].filter(([text]) => b.has(text)));
}

function intersectArrays(a: Shape, b: Shape) {
  const length = Math.max(a.prefixItems.length, b.prefixItems.length);
  const prefixItems = Array.from({ length }, (_, index) =>
    conjoin([a.prefixItems[index] ?? a.items, b.prefixItems[index] ?? b.items]),
  );
  return {
    minItems: Math.max(a.minItems, b.minItems),
    maxItems: smaller(a.maxItems, b.maxItems),
    uniqueItems: a.uniqueItems || b.uniqueItems,
    prefixItems,
    items: conjoin([a.items, b.items]),
    contains: uniqueBy([...a.contains, ...b.contains], containsKey),
  };
}

function containsKey({ schema, min, max }: Contains): string {
  return `${keyOf(schema)}/${min}/${max ?? ""}`;
}

function intersectObjects(a: Shape, b: Shape) {
  const dependentSchemas = new Map(a.dependentSchemas);
  for (const [name, schema] of b.dependentSchemas) {
    dependentSchemas.set(name, conjoin([dependentSchemas.get(name) ?? [], schema]));
  }
  const dependentRequired = new Map(a.dependentRequired);
  for (const [name, names] of b.dependentRequired) {
    dependentRequired.set(name, new Set([...(dependentRequired.get(name) ?? []), ...names]));
  }
  return {
    rules: [...new Set([...a.rules, ...b.rules])],
    required: b.required.size === 0 ? a.required : new Set([...a.required, ...b.required]),
    minProperties: Math.max(a.minProperties, b.minProperties),
    maxProperties: smaller(a.maxProperties, b.maxProperties),
    dependentRequired,
    dependentSchemas,
    propertyNames: conjoin([a.propertyNames, b.propertyNames]),
  };
}

function uniqueBy<T>(items: readonly T[], key: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [key(item), item])).values()];
}

/** True if the conjunction is known to allow nothing, by a schema `false`. */
export function isNever(conjunction: readonly SchemaNode[]): boolean {
  return conjunction.some(({ value }) => value === false) || conjunction.includes(NEVER);
}
