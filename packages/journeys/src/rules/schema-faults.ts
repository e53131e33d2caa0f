import { isObject } from "@waymark/openapi/json.ts";

/** A fault in a schema, and its path there. */
export interface SchemaProblem {
  path: (string | number)[];
  message: string;
}

type Rule = (value: unknown) => string | undefined;

const DEPTH_MAX = 100;
const TYPES = ["null", "boolean", "object", "array", "number", "string", "integer"];

const isCount: Rule = (value) =>
  Number.isInteger(value) && Number(value) >= 0 ? undefined : "must be an integer of 0 or more";
const isNumber: Rule = (value) => (typeof value === "number" ? undefined : "must be a number");
const isFlag: Rule = (value) => (typeof value === "boolean" ? undefined : "must be true or false");
const isText: Rule = (value) => (typeof value === "string" ? undefined : "must be a text");
const isList: Rule = (value) => (Array.isArray(value) ? undefined : "must be a list");
const areNames: Rule = (value) => {
  if (!Array.isArray(value)) return "must be a list of names";
  const isUnique = new Set(value).size === value.length;
  return isUnique && value.every((name) => typeof name === "string")
    ? undefined
    : "must be a list of names, each once";
};
const isType: Rule = (value) => {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  const isUnique = new Set(list).size === list.length && list.length > 0;
  return isUnique && list.every((type) => typeof type === "string" && TYPES.includes(type))
    ? undefined
    : `must be ${TYPES.join(", ")}, or a list of them`;
};
const isFactor: Rule = (value) =>
  typeof value === "number" && value > 0 ? undefined : "must be a number above 0";

/** JSON Schema 2020-12: what the value of each keyword has to be. */
const VALUES: Record<string, Rule> = {
  type: isType,
  enum: isList,
  multipleOf: isFactor,
  maximum: isNumber,
  exclusiveMaximum: isNumber,
  minimum: isNumber,
  exclusiveMinimum: isNumber,
  maxLength: isCount,
  minLength: isCount,
  pattern: isText,
  maxItems: isCount,
  minItems: isCount,
  uniqueItems: isFlag,
  maxContains: isCount,
  minContains: isCount,
  maxProperties: isCount,
  minProperties: isCount,
  required: areNames,
  format: isText,
  title: isText,
  description: isText,
  deprecated: isFlag,
  readOnly: isFlag,
  writeOnly: isFlag,
  examples: isList,
  $ref: isText,
  $id: isText,
  $anchor: isText,
  $dynamicRef: isText,
  $dynamicAnchor: isText,
  $schema: isText,
  $comment: isText,
};
const SCHEMAS = [
  "items",
  "contains",
  "additionalProperties",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
  "if",
  "then",
  "else",
  "not",
];
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const MAPS = ["properties", "patternProperties", "$defs", "dependentSchemas"];

/** The faults of a value as a JSON Schema 2020-12. Unknown keywords are ignored. */
export function schemaProblems(schema: unknown): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  visit(schema, [], problems);
  return problems;
}

function visit(schema: unknown, path: (string | number)[], problems: SchemaProblem[]): void {
  if (typeof schema === "boolean" || path.length > DEPTH_MAX) return;
  if (!isObject(schema)) {
    problems.push({ path, message: "a schema is an object, true or false" });
    return;
  }
  for (const [keyword, value] of Object.entries(schema)) {
    const at = [...path, keyword];
    const message = Object.hasOwn(VALUES, keyword) ? VALUES[keyword]?.(value) : undefined;
    if (message !== undefined) problems.push({ path: at, message: `${keyword} ${message}` });
    if (SCHEMAS.includes(keyword)) visit(value, at, problems);
    else if (LISTS.includes(keyword)) visitList(value, at, problems);
    else if (MAPS.includes(keyword)) visitMap(value, at, problems);
  }
}

function visitList(value: unknown, path: (string | number)[], problems: SchemaProblem[]): void {
  const list: unknown[] = Array.isArray(value) ? value : [];
  if (list.length === 0) problems.push({ path, message: `${path.at(-1) ?? ""} must be a list of schemas` });
  for (const [index, item] of list.entries()) visit(item, [...path, index], problems);
}

function visitMap(value: unknown, path: (string | number)[], problems: SchemaProblem[]): void {
  if (!isObject(value)) {
    problems.push({ path, message: `${path.at(-1) ?? ""} must be an object of schemas` });
    return;
  }
  for (const [name, item] of Object.entries(value)) visit(item, [...path, name], problems);
}
