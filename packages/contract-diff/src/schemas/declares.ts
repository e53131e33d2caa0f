import { isObject, type JsonObject, type JsonValue } from "@waymark/openapi/json.ts";
import type { Conjunction } from "../read/node.ts";
import { acceptsShape } from "./accepts.ts";
import { type SchemaContext, spend } from "./context.ts";
import { schemaOfItem, schemaOfName, type Shape } from "./shape.ts";

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
  const { rules, required } = shape;
  if (rules.length === 0 && required.size === 0) return true;
  const isMatch = (pattern: string, name: string) => context.matchesPattern(pattern, name) === true;
  return Object.entries(value).every(([name, member]) => {
    const isNamed =
      required.has(name) ||
      rules.some(
        ({ properties, patterns, additional }) =>
          properties.has(name) ||
          patterns.some(({ source }) => isMatch(source, name)) ||
          (additional !== undefined && additional.length > 0),
      );
    return isNamed && declares(context, schemaOfName(shape, name, isMatch), member, depth + 1);
  });
}
