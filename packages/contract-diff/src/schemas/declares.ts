import { isObject, type JsonObject, type JsonValue } from "@waymark/openapi/json.ts";
import type { Conjunction } from "../read/node.ts";
import { acceptsShape } from "./accepts.ts";
import { type SchemaContext, spend } from "./context.ts";
import { type NameRule, schemaOfItem, schemaOfName, type Shape } from "./shape.ts";

const DEPTH_MAX = 12;

/** True if the schema names all properties of the value, and of those inside it. Objects without any named property are free. */
export function declares(
  context: SchemaContext,
  conjunction: Conjunction,
  value: JsonValue,
  depth = 0,
): boolean {
  if (typeof value !== "object" || value === null || depth > DEPTH_MAX) return true;
  spend(context);
  return context
    .expand(conjunction)
    .shapes.some(
      (shape) => acceptsShape(context, shape, value) === true && declaresIn(context, shape, value, depth),
    );
}

function declaresIn(context: SchemaContext, shape: Shape, value: object, depth: number): boolean {
  if (Array.isArray(value)) {
    return value.every((item, index) => declares(context, schemaOfItem(shape, index), item, depth + 1));
  }
  return !isObject(value) || declaresNames(context, shape, value, depth);
}

function declaresNames(context: SchemaContext, shape: Shape, value: JsonObject, depth: number): boolean {
  if (isFree(shape)) return true;
  const isMatch = (pattern: string, name: string) => context.matchesPattern(pattern, name) === true;
  return Object.entries(value).every(([name, member]) => {
    const isNamed =
      names(shape, name) ||
      shape.rules.some(
        (rule) => rule.patterns.some(({ source }) => isMatch(source, name)) || restrictsAdditional(rule),
      );
    return isNamed && declares(context, schemaOfName(shape, name, isMatch), member, depth + 1);
  });
}

/** True if an object with these names can be one that the shape describes. */
export function namesAll(shape: Shape, wanted: ReadonlySet<string>): boolean {
  if (!shape.types.has("object")) return false;
  const isMap = shape.rules.some((rule) => rule.patterns.length > 0 || restrictsAdditional(rule));
  return isMap || isFree(shape) || [...wanted].every((name) => names(shape, name));
}

function restrictsAdditional({ additional }: NameRule): boolean {
  return additional !== undefined && additional.length > 0;
}

function names({ rules, required }: Shape, name: string): boolean {
  return required.has(name) || rules.some(({ properties }) => properties.has(name));
}

function isFree({ rules, required }: Shape): boolean {
  return rules.length === 0 && required.size === 0;
}
