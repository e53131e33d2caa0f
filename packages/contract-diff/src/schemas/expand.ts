import { isObject, ownValue } from "@waymark/openapi/json.ts";
import { type At } from "../read/description.ts";
import { type Conjunction, keyOf, type SchemaNode } from "../read/node.ts";
import { type Expansion, type SchemaContext, spend } from "./context.ts";
import { ALTERNATIVES, REFERENCES } from "./in-place-keywords.ts";
import { intersect } from "./intersect.ts";
import { listed } from "./listed.ts";
import { normalizeShape } from "./normalize-shape.ts";
import { readKeywords } from "./read-keywords.ts";
import { ANY_SHAPE, type NameRule, type Shape } from "./shape.ts";

/** Combinations of alternatives of one schema: `allOf` of ten times ten alternatives has ten billion. */
const SHAPES_MAX = 400;
const DEPTH_MAX = 100;

interface Growing {
  shapes: Shape[];
  undecided: string | undefined;
}

interface Visit {
  context: SchemaContext;
  /** The schemas around this one: an `allOf` that leads back to one of them adds nothing. */
  within: ReadonlySet<number>;
}

/** Returns the alternatives of a conjunction, each as one shape. */
export function expand(context: SchemaContext, conjunction: Conjunction): Expansion {
  const grown = expandAll({ context, within: new Set() }, conjunction);
  const shapes = grown.shapes.flatMap((shape) => normalizeShape(context, shape) ?? []);
  return { shapes, exclusive: exclusiveOf(shapes), undecided: grown.undecided };
}

/** Lists each `oneOf` of the shapes once. */
function exclusiveOf(shapes: readonly Shape[]): Expansion["exclusive"] {
  const lists = shapes.flatMap(({ exclusive }) => exclusive);
  return [...new Map(lists.map((list) => [list.map(keyOf).join("/"), list])).values()];
}

function expandAll(visit: Visit, conjunction: Conjunction): Growing {
  let all: Growing = { shapes: [ANY_SHAPE], undecided: undefined };
  for (const node of conjunction) all = product(visit.context, all, expandNode(visit, node));
  return all;
}

function expandNode(visit: Visit, node: SchemaNode): Growing {
  spend(visit.context);
  const { value } = node;
  if (value === false) return { shapes: [], undecided: undefined };
  const own: Growing = { shapes: [readKeywords(node)], undecided: unresolved(node) };
  if (!isObject(value) || node.owner === undefined || visit.within.has(node.id)) return own;
  if (visit.within.size > DEPTH_MAX)
    return { ...own, undecided: `more than ${DEPTH_MAX} schemas inside each other` };
  const inner = { context: visit.context, within: new Set([...visit.within, node.id]) };
  let grown = own;
  for (const part of conjuncts(node)) grown = product(visit.context, grown, expandNode(inner, part));
  for (const keyword of ALTERNATIVES) {
    const alternatives = listed(node, keyword);
    if (alternatives.length === 0) continue;
    grown = product(visit.context, grown, union(inner, alternatives));
    if (keyword === "oneOf") grown = exactlyOne(grown, alternatives);
  }
  return restrictUnevaluated(node, grown);
}

/** A repeated alternative counts once: nobody means that its values are refused. */
function exactlyOne(grown: Growing, alternatives: readonly SchemaNode[]): Growing {
  const list = [...new Set(alternatives)].map((each) => [each]);
  if (list.length === 1) return grown;
  const shapes = grown.shapes.map((shape) => ({ ...shape, exclusive: [...shape.exclusive, list] }));
  return { ...grown, shapes };
}

function unresolved({ unresolved: reference }: SchemaNode): string | undefined {
  return reference === undefined ? undefined : `the reference "${reference}" leads nowhere`;
}

/** Lists the schemas that must hold beside the schema's own keywords. */
function conjuncts(node: SchemaNode): SchemaNode[] {
  const parts = listed(node, "allOf");
  for (const key of REFERENCES) {
    const reference = ownValue(node.value, key);
    if (typeof reference !== "string" || node.owner === undefined || node.unresolved !== undefined) continue;
    const target = node.owner.target(reference, node.file);
    if (target !== undefined) parts.push(node.owner.node(target));
  }
  return parts;
}

function union(visit: Visit, alternatives: readonly SchemaNode[]): Growing {
  const all: Growing = { shapes: [], undecided: undefined };
  for (const node of new Set(alternatives)) {
    const each = expandNode(visit, node);
    all.undecided ??= each.undecided;
    all.shapes.push(...each.shapes);
    if (all.shapes.length > SHAPES_MAX) return cut(all);
  }
  return all;
}

function product(context: SchemaContext, a: Growing, b: Growing): Growing {
  const undecided = a.undecided ?? b.undecided;
  const shapes: Shape[] = [];
  for (const left of a.shapes) {
    for (const right of b.shapes) {
      spend(context);
      const shape = intersect(left, right);
      if (shape !== undefined) shapes.push(shape);
      if (shapes.length > SHAPES_MAX) return cut({ shapes, undecided });
    }
  }
  return { shapes, undecided };
}

function cut(grown: Growing): Growing {
  const undecided = grown.undecided ?? `the schema has more than ${SHAPES_MAX} combinations of alternatives`;
  return { ...grown, shapes: grown.shapes.slice(0, SHAPES_MAX), undecided };
}

/** `unevaluated*` applies to what the schema and those inside it leave open. */
function restrictUnevaluated(node: SchemaNode, grown: Growing): Growing {
  const { owner, value } = node;
  if (owner === undefined || !isObject(value)) return grown;
  const at: At = { value, file: node.file, pointer: node.pointer };
  const properties = owner.schema(at, "unevaluatedProperties");
  const items = owner.schema(at, "unevaluatedItems");
  if (properties.length === 0 && items.length === 0) return grown;
  return {
    ...grown,
    shapes: grown.shapes.map((shape) => withItems(withNames(shape, properties), items)),
  };
}

function withNames(shape: Shape, schema: Conjunction): Shape {
  if (schema.length === 0 || schema[0]?.value === true) return shape;
  if (shape.rules.some(({ additional }) => additional !== undefined)) return shape;
  const names = shape.rules.flatMap(({ properties }) => [...properties.keys()]);
  const rule: NameRule = {
    properties: new Map(names.map((name) => [name, []])),
    patterns: shape.rules.flatMap(({ patterns }) => patterns.map(({ source }) => ({ source, schema: [] }))),
    additional: schema,
  };
  return { ...shape, rules: [...shape.rules, rule] };
}

function withItems(shape: Shape, schema: Conjunction): Shape {
  if (schema.length === 0 || shape.items.length > 0) return shape;
  if (schema[0]?.value !== false) return { ...shape, items: schema };
  return { ...shape, maxItems: Math.min(shape.maxItems ?? Infinity, shape.prefixItems.length) };
}
