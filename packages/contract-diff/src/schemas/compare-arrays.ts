import type { JsonValue } from "@waymark/openapi/json.ts";
import { keyOf } from "../read/node.ts";
import { compareLimit, positive } from "./compare-limits.ts";
import type { SchemaContext } from "./context.ts";
import { ALL, type Edge, type Finding, type PairResult } from "./pair-result.ts";
import { sampleArray } from "./sample.ts";
import { type Contains, schemaOfItem, type Shape } from "./shape.ts";

export function compareArrays(context: SchemaContext, old: Shape, next: Shape): PairResult {
  const contains = compareContains(old.contains, next.contains);
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

/** Pairs equal conditions first, then those that are left in their order. */
function compareContains(old: readonly Contains[], next: readonly Contains[]): PairResult {
  const keyed = (contains: Contains) => `${keyOf(contains.schema)}/${contains.min}/${contains.max}`;
  const after = new Set(next.map(keyed));
  const before = new Set(old.map(keyed));
  const olds = old.filter((contains) => !after.has(keyed(contains)));
  const news = next.filter((contains) => !before.has(keyed(contains)));
  const result: PairResult = { findings: [], edges: [] };
  for (let index = 0; index < Math.max(olds.length, news.length); index++) {
    const [from, to] = [olds[index], news[index]];
    if (from !== undefined && to !== undefined) {
      result.edges.push({
        old: from.schema,
        new: to.schema,
        step: { kind: "part", keyword: "contains" },
        pass: ALL,
      });
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
