import type { JsonValue } from "@waymark/openapi/json.ts";
import { compareLimit, positive } from "./compare-limits.ts";
import type { SchemaContext } from "./context.ts";
import { ALL, type Edge, type Finding, type PairResult } from "./pair-result.ts";
import { sampleArray } from "./sample.ts";
import { type Contains, schemaOfItem, type Shape } from "./shape.ts";
import type { PairSettings } from "./subset.ts";
import { unpaired } from "./unpaired.ts";

export function compareArrays(
  context: SchemaContext,
  old: Shape,
  next: Shape,
  settings: PairSettings,
): PairResult {
  const contains = compareContains(old.contains, next.contains, settings);
  return {
    findings: [
      ...compareCounts(context, old, next),
      ...compareUnique(context, old, next),
      ...contains.findings,
    ],
    edges: [...itemEdges(old, next), ...contains.edges],
  };
}

function compareCounts(context: SchemaContext, old: Shape, next: Shape): Finding[] {
  const list = (limit: number) => {
    const valid = limit > (old.maxItems ?? Infinity) || limit < old.minItems ? next : old;
    return sampleArray(context, valid, 0, Math.max(0, limit));
  };
  return [
    ...compareLimit({
      name: "min-items",
      keyword: "minItems",
      side: "lower",
      old: positive(old.minItems),
      new: positive(next.minItems),
      witness: list,
    }),
    ...compareLimit({
      name: "max-items",
      keyword: "maxItems",
      side: "upper",
      old: old.maxItems,
      new: next.maxItems,
      witness: list,
    }),
  ];
}

function compareUnique(context: SchemaContext, old: Shape, next: Shape): Finding[] {
  if (old.uniqueItems === next.uniqueItems) return [];
  const twice = (shape: Shape): JsonValue | undefined => {
    const item = sampleArray(context, shape, 0, Math.max(1, shape.minItems));
    return item === undefined ? undefined : [...item, ...item.slice(0, 1)];
  };
  const effect = next.uniqueItems ? "narrow" : "widen";
  return [
    {
      kind: next.uniqueItems ? "unique-items-set" : "unique-items-unset",
      effect,
      keyword: "uniqueItems",
      before: `uniqueItems: ${old.uniqueItems}`,
      after: `uniqueItems: ${next.uniqueItems}`,
      witness: () => twice(next.uniqueItems ? old : next),
    },
  ];
}

function itemEdges(old: Shape, next: Shape): Edge[] {
  const edges: Edge[] = [];
  const prefix = Math.max(old.prefixItems.length, next.prefixItems.length);
  const limit = Math.min(old.maxItems ?? Infinity, next.maxItems ?? Infinity);
  for (let index = 0; index < Math.min(prefix, limit); index++) {
    const step = { kind: "item" as const, index };
    edges.push({ old: schemaOfItem(old, index), new: schemaOfItem(next, index), step, pass: ALL });
  }
  if (limit > prefix)
    edges.push({ old: old.items, new: next.items, step: { kind: "item", index: undefined }, pass: ALL });
  return edges;
}

function compareContains(
  old: readonly Contains[],
  next: readonly Contains[],
  { unchanged }: PairSettings,
): PairResult {
  const isSameSchema = (a: Contains, b: Contains) => unchanged.schemas(a.schema, b.schema);
  const isSame = (a: Contains, b: Contains) => isSameSchema(a, b) && a.min === b.min && a.max === b.max;
  const result: PairResult = { findings: [], edges: [] };
  for (const [from, to] of unpaired(old, next, [isSame, isSameSchema])) {
    if (from !== undefined && to !== undefined) {
      const step = { kind: "part" as const, keyword: "contains" };
      const edge = { old: from.schema, new: to.schema, step, pass: ALL };
      if (from.min > 0 || to.min > 0) result.edges.push(edge);
      // With a limit on the matching items, a wider schema allows fewer lists.
      if (from.max !== undefined || to.max !== undefined) result.edges.push({ ...edge, flips: true });
      result.findings.push(...compareContainsCounts(from, to));
    } else if (from === undefined) {
      result.findings.push({
        kind: "contains-added",
        effect: "narrow",
        keyword: "contains",
        witness: () => [],
      });
    } else {
      result.findings.push({
        kind: "contains-removed",
        effect: "widen",
        keyword: "contains",
        witness: () => [],
      });
    }
  }
  return result;
}

function compareContainsCounts(old: Contains, next: Contains): Finding[] {
  return [
    ...compareLimit({
      name: "min-contains",
      keyword: "minContains",
      side: "lower",
      old: old.min,
      new: next.min,
    }),
    ...compareLimit({
      name: "max-contains",
      keyword: "maxContains",
      side: "upper",
      old: old.max,
      new: next.max,
    }),
  ];
}
