import { type Conjunction, keyOf } from "../read/node.ts";
import type { Answer } from "../patterns/pattern-sets.ts";
import { type SchemaContext, spend } from "./context.ts";
import { type Effect, type Mode, NARROW, type PairResult, type Written } from "./pair-result.ts";
import type { Unchanged } from "./unchanged.ts";

/** Settings that are equal for all pairs below a place. */
export interface PairSettings {
  mode: Mode;
  written: Written;
  unchanged: Unchanged;
}

/** Decides whether every value that `inner` allows is allowed by `outer`. Both come from one side or from different ones. */
export type SubsetTest = (inner: Conjunction, outer: Conjunction) => Answer;

/** Compares two schemas, without those inside them. */
export type ComparePair = (inner: Conjunction, outer: Conjunction, subset: SubsetTest) => PairResult;

const DEPTH_MAX = 60;
/** Pairs that one question may lead to: those in circles are not remembered, and could be asked for without an end. */
const PAIRS_MAX = 500;

interface Frame {
  /** The lowest frame whose outcome was taken for granted. */
  low: number;
}

/**
 * Creates a test with a memory. A pair that occurs inside itself is taken for a subset: circles close. Such an answer is
 * remembered only where it depends on no pair that is still open.
 */
export function createSubsetTest(
  context: SchemaContext,
  settings: PairSettings,
  compare: ComparePair,
): SubsetTest {
  const open = new Map<string, number>();
  const frames: Frame[] = [];
  let pairs = 0;
  const prefix = `${settings.mode}/${settings.written}`;

  const test: SubsetTest = (inner, outer) => {
    if (outer.length === 0 || keyOf(inner) === keyOf(outer)) return "yes";
    const key = `${prefix}/${keyOf(inner)}/${keyOf(outer)}`;
    const known = context.subsets.get(key);
    if (known !== undefined) return known;
    const level = open.get(key);
    if (level !== undefined) {
      for (const frame of frames.slice(level)) frame.low = Math.min(frame.low, level);
      return "yes";
    }
    pairs = frames.length === 0 ? 0 : pairs + 1;
    if (frames.length > DEPTH_MAX || pairs > PAIRS_MAX) return "unknown";
    spend(context);
    const frame: Frame = { low: frames.length };
    open.set(key, frames.length);
    frames.push(frame);
    const answer = isSubset(compare(inner, outer, test), test);
    frames.pop();
    open.delete(key);
    if (answer === "no" || frame.low >= frames.length) context.subsets.set(key, answer);
    return answer;
  };
  return test;
}

/** Decides from the result of a comparison. */
export function isSubset({ findings, edges }: PairResult, test: SubsetTest): Answer {
  let answer: Answer = "yes";
  for (const { effect, lost, levels } of findings) {
    // Defaults and the like change no values.
    if (levels !== undefined && effect === "unknown" && lost !== true) continue;
    if (narrows(effect) || lost === true) return "no";
    if (effect === "unknown") answer = "unknown";
  }
  for (const edge of edges) {
    if ((edge.pass & NARROW) === 0) continue;
    const inside = edge.flips === true ? test(edge.new, edge.old) : test(edge.old, edge.new);
    if (inside === "no") return "no";
    if (inside === "unknown") answer = "unknown";
  }
  return answer;
}

function narrows(effect: Effect): boolean {
  return effect === "narrow" || effect === "both";
}
