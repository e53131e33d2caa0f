import type { JsonValue } from "@waymark/openapi/json.ts";
import type { Conjunction, SchemaNode } from "../read/node.ts";

/** The types of JSON Schema; an integer is a number with `integer` set. */
export const TYPES = ["null", "boolean", "number", "string", "array", "object"] as const;
export type TypeName = (typeof TYPES)[number];

/** One object schema's say about names: patterns and `additional` apply where `properties` has no such name. */
export interface NameRule {
  properties: ReadonlyMap<string, Conjunction>;
  patterns: readonly { source: string; schema: Conjunction }[];
  /** Undefined if the rule says nothing about other names, and empty if it allows them with any value. */
  additional: Conjunction | undefined;
}

export interface Contains {
  schema: Conjunction;
  min: number;
  max: number | undefined;
}

export interface Condition {
  test: Conjunction;
  whenTrue: Conjunction;
  whenFalse: Conjunction;
}

/** The keywords of a schema that don't restrict its values. */
export interface Annotations {
  default: JsonValue | undefined;
  readOnly: boolean;
  writeOnly: boolean;
  extensible: readonly JsonValue[] | undefined;
  xml: JsonValue | undefined;
}

/**
 * A set of values without alternatives: the types with the limits of each. Limits of a type that is not allowed are ignored.
 */
export interface Shape {
  types: ReadonlySet<TypeName>;
  /** True if only whole numbers are allowed. */
  integer: boolean;
  /** The values by their canonical text, if the schema lists them. */
  values: ReadonlyMap<string, JsonValue> | undefined;
  minimum: number | undefined;
  maximum: number | undefined;
  exclusiveMinimum: number | undefined;
  exclusiveMaximum: number | undefined;
  multipleOf: readonly number[];
  numberFormat: string | undefined;
  minLength: number;
  maxLength: number | undefined;
  patterns: ReadonlySet<string>;
  formats: ReadonlySet<string>;
  content: ReadonlyMap<string, string>;
  contentSchema: Conjunction;
  minItems: number;
  maxItems: number | undefined;
  uniqueItems: boolean;
  prefixItems: readonly Conjunction[];
  items: Conjunction;
  contains: readonly Contains[];
  rules: readonly NameRule[];
  required: ReadonlySet<string>;
  minProperties: number;
  maxProperties: number | undefined;
  dependentRequired: ReadonlyMap<string, ReadonlySet<string>>;
  dependentSchemas: ReadonlyMap<string, Conjunction>;
  propertyNames: Conjunction;
  not: readonly Conjunction[];
  /** The alternatives of each `oneOf`, of which exactly one must match. */
  exclusive: readonly (readonly Conjunction[])[];
  conditions: readonly Condition[];
  annotations: Annotations;
  /** The schemas that make up the shape; the first one names its place. */
  origin: readonly SchemaNode[];
}

export const ANY_SHAPE: Shape = {
  types: new Set(TYPES),
  integer: false,
  values: undefined,
  minimum: undefined,
  maximum: undefined,
  exclusiveMinimum: undefined,
  exclusiveMaximum: undefined,
  multipleOf: [],
  numberFormat: undefined,
  minLength: 0,
  maxLength: undefined,
  patterns: new Set(),
  formats: new Set(),
  content: new Map(),
  contentSchema: [],
  minItems: 0,
  maxItems: undefined,
  uniqueItems: false,
  prefixItems: [],
  items: [],
  contains: [],
  rules: [],
  required: new Set(),
  minProperties: 0,
  maxProperties: undefined,
  dependentRequired: new Map(),
  dependentSchemas: new Map(),
  propertyNames: [],
  not: [],
  exclusive: [],
  conditions: [],
  annotations: {
    default: undefined,
    readOnly: false,
    writeOnly: false,
    extensible: undefined,
    xml: undefined,
  },
  origin: [],
};

/** Returns the type of a value. */
export function typeOf(value: JsonValue): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "boolean":
      return "boolean";
    case "number":
      return "number";
    case "string":
      return "string";
    default:
      return "object";
  }
}

/** Returns a text that is equal for equal values: keys are sorted, and 1.0 is 1. */
export function canonicalText(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key] ?? null)}`);
  return `{${members.join(",")}}`;
}

/** Returns the schema of a name in an object, from all rules. */
export function schemaOfName(
  shape: Shape,
  name: string,
  matches: (pattern: string, name: string) => boolean,
): Conjunction {
  return conjoin(shape.rules.map((rule) => ruleOfName(rule, name, matches)));
}

function ruleOfName(
  rule: NameRule,
  name: string,
  matches: (pattern: string, name: string) => boolean,
): Conjunction {
  const named = rule.properties.get(name);
  const patterned = rule.patterns.filter(({ source }) => matches(source, name));
  if (named === undefined && patterned.length === 0) return rule.additional ?? [];
  return conjoin([named ?? [], ...patterned.map(({ schema }) => schema)]);
}

/** Returns the schema of names that match a pattern and that no schema lists. */
export function schemaOfPattern(shape: Shape, source: string): Conjunction {
  return conjoin(
    shape.rules.map((rule) => {
      const found = rule.patterns.filter((pattern) => pattern.source === source);
      return found.length === 0 ? (rule.additional ?? []) : conjoin(found.map(({ schema }) => schema));
    }),
  );
}

/** Returns the schema of all other names. */
export function schemaOfOthers(shape: Shape): Conjunction {
  return conjoin(shape.rules.map(({ additional }) => additional ?? []));
}

/** Returns the schema of the item at an index. */
export function schemaOfItem(shape: Shape, index: number): Conjunction {
  return shape.prefixItems[index] ?? shape.items;
}

/** Returns the conjunction of several, each schema once. */
export function conjoin(parts: readonly Conjunction[]): Conjunction {
  const filled = parts.filter((part) => part.length > 0);
  const [first, ...rest] = filled;
  if (first === undefined || rest.length === 0) return first ?? [];
  const seen = new Map(filled.flat().map((node) => [node.id, node]));
  return [...seen.values()];
}
