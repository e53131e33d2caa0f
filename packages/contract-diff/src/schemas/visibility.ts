import { isObject } from "@waymark/openapi/json.ts";
import type { Conjunction, SchemaNode } from "../read/node.ts";
import type { SchemaContext } from "./context.ts";
import { IN_PLACE } from "./in-place-keywords.ts";
import type { Mode } from "./pair-result.ts";
import { schemaOfName, type Shape } from "./shape.ts";

/** An object's properties as one direction has them. */
export interface VisibleProperties {
  /** The schemas of the named properties that are sent. */
  named: ReadonlyMap<string, Conjunction>;
  /** The names that must be sent. */
  required: ReadonlySet<string>;
  /** Named properties that the direction leaves out: read-only in requests, write-only in answers. */
  hidden: ReadonlySet<string>;
}

export function visibleProperties(context: SchemaContext, shape: Shape, mode: Mode): VisibleProperties {
  const known = context.visible[mode].get(shape);
  if (known !== undefined) return known;
  const found = findVisible(context, shape, mode);
  context.visible[mode].set(shape, found);
  return found;
}

function findVisible(context: SchemaContext, shape: Shape, mode: Mode): VisibleProperties {
  const isMatch = (pattern: string, name: string) => context.matchesPattern(pattern, name) === true;
  const named = new Map<string, Conjunction>();
  const hidden = new Set<string>();
  const required = new Set(shape.required);
  for (const name of new Set(shape.rules.flatMap(({ properties }) => [...properties.keys()]))) {
    const schema = schemaOfName(shape, name, isMatch);
    if (isHidden(context, schema, mode)) {
      hidden.add(name);
      required.delete(name);
    } else named.set(name, schema);
  }
  return { named, required, hidden };
}

function mayHave({ value }: SchemaNode, flag: "readOnly" | "writeOnly"): boolean {
  return isObject(value) && [flag, ...IN_PLACE].some((keyword) => Object.hasOwn(value, keyword));
}

function isHidden(context: SchemaContext, schema: Conjunction, mode: Mode): boolean {
  const flag = mode === "request" ? "readOnly" : "writeOnly";
  // Most properties have neither the flag nor a part that could have it, and did not change: nothing else would expand them.
  if (!schema.some((node) => mayHave(node, flag))) return false;
  const { shapes } = context.expand(schema);
  return shapes.length > 0 && shapes.every(({ annotations }) => annotations[flag]);
}
