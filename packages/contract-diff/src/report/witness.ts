import { isObject, type JsonValue } from "@waymark/openapi/json.ts";
import type { Conjunction } from "../read/node.ts";
import { accepts } from "../schemas/accepts.ts";
import { BudgetError, type SchemaContext } from "../schemas/context.ts";
import type { Hop, Reached } from "../schemas/pair-graph.ts";
import type { Mode } from "../schemas/pair-result.ts";
import { sample, setOwn } from "../schemas/sample.ts";

interface Sides {
  old: Conjunction;
  next: Conjunction;
}

const TEXT_MAX = 2000;

/**
 * Returns a value that the one side allows and the other one doesn't, checked on both; undefined if none was found. It is the
 * whole body where one can be made.
 */
export function witnessOf(context: SchemaContext, reached: Reached, mode: Mode): JsonValue | undefined {
  try {
    return find(context, reached, mode);
  } catch (error) {
    if (error instanceof BudgetError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function find(
  context: SchemaContext,
  { finding, effect, route, old, next }: Reached,
  mode: Mode,
): JsonValue | undefined {
  if (effect === "unknown") return undefined;
  const shrinks = effect === "narrow" || (effect === "both" && mode === "request");
  const [valid, invalid] = shrinks ? [old, next] : [next, old];
  const isWitness = (sides: [Conjunction, Conjunction], value: JsonValue | undefined): value is JsonValue =>
    value !== undefined &&
    accepts(context, sides[0], value) === true &&
    accepts(context, sides[1], value) === false;
  const candidates = [
    () => finding.witness?.(),
    () => sample(context, valid),
    () => sample(context, valid, "all"),
  ];
  for (const candidate of candidates) {
    const value = candidate();
    if (!isWitness([valid, invalid], value)) continue;
    const whole = embed(context, value, route, shrinks);
    const root = route[0]?.from ?? { old, next };
    const roots: [Conjunction, Conjunction] = shrinks ? [root.old, root.next] : [root.next, root.old];
    const best = isWitness(roots, whole) ? whole : value;
    return JSON.stringify(best).length > TEXT_MAX ? undefined : best;
  }
  return undefined;
}

/** Puts the value into a small valid value of each schema around it. */
function embed(
  context: SchemaContext,
  value: JsonValue,
  route: readonly Hop[],
  shrinks: boolean,
): JsonValue | undefined {
  let whole: JsonValue | undefined = value;
  for (const hop of route.toReversed()) {
    if (whole === undefined) return undefined;
    whole = around(context, shrinks ? hop.from.old : hop.from.next, hop, whole);
  }
  return whole;
}

function around(
  context: SchemaContext,
  outer: Sides["old"],
  { step }: Hop,
  value: JsonValue,
): JsonValue | undefined {
  const sampled = sample(context, outer);
  switch (step.kind) {
    case "property":
    case "others":
    case "names": {
      const result = isObject(sampled) ? { ...sampled } : {};
      if (step.kind === "names") setOwn(result, typeof value === "string" ? value : "other", "a");
      else setOwn(result, step.kind === "property" ? step.name : "other", value);
      return result;
    }
    case "item": {
      const list = Array.isArray(sampled) ? [...sampled] : [];
      list[step.index ?? Math.max(0, list.length - 1)] = value;
      return list;
    }
    default:
      return undefined;
  }
}
