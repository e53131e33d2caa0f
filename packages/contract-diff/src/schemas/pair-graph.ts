import { type Conjunction, keyOf } from "../read/node.ts";
import { comparePair } from "./compare-pair.ts";
import { BudgetError, type SchemaContext } from "./context.ts";
import {
  ALL,
  type Edge,
  type Effect,
  type Finding,
  type Mode,
  NARROW,
  type PairResult,
  type Step,
  WIDEN,
  type Written,
} from "./pair-result.ts";
import { createSubsetTest, type SubsetTest } from "./subset.ts";
import type { Unchanged } from "./unchanged.ts";

/** Two schemas at one place of an operation. */
export interface SchemaUse {
  old: Conjunction;
  next: Conjunction;
  mode: Mode;
  written: Written;
}

/** A finding with the way to it. */
export interface Reached {
  finding: Finding;
  /** The effect, turned round inside a `not`. */
  effect: Effect;
  route: readonly Hop[];
  /** The pair that has the finding. */
  old: Conjunction;
  next: Conjunction;
}

/** One step of a way, with the schemas that it leads to. */
export interface Hop {
  step: Step;
  from: { old: Conjunction; next: Conjunction };
  old: Conjunction;
  next: Conjunction;
}

interface Pair extends PairResult {
  key: string;
  old: Conjunction;
  next: Conjunction;
  /** The pairs that contain this one. */
  users: Pair[];
  inside: { edge: Edge; pair: Pair }[];
  /** Has a finding, or contains a pair that has one. */
  dirty: boolean;
}

export interface PairGraph {
  /** Compares the schemas and all inside them; what exceeds the limit of work is a finding. */
  add: (use: SchemaUse) => void;
  /** Lists the findings of a use. */
  collect: (use: SchemaUse) => Reached[];
}

/** The limit of the findings of one use. */
export const REACHED_MAX = 20_000;

/** Compares each pair of schemas once, whatever the number of places that lead to it. */
export function createPairGraph(context: SchemaContext, unchanged: Unchanged): PairGraph {
  const pairs = new Map<string, Pair>();
  const tests = new Map<string, SubsetTest>();
  const testOf = ({ mode, written }: SchemaUse): SubsetTest => {
    const key = `${mode}/${written}`;
    const known = tests.get(key);
    if (known !== undefined) return known;
    const settings = { mode, written, unchanged };
    const test = createSubsetTest(context, settings, (inner, outer, subset) =>
      comparePair(context, inner, outer, { ...settings, subset }),
    );
    tests.set(key, test);
    return test;
  };

  const visit = (use: SchemaUse, queue: [Pair, SchemaUse][]): Pair => {
    const key = keyOfUse(use);
    const known = pairs.get(key);
    if (known !== undefined) return known;
    const result = settled(context, use, unchanged, testOf(use));
    const pair: Pair = { ...result, key, old: use.old, next: use.next, users: [], inside: [], dirty: false };
    pairs.set(key, pair);
    queue.push([pair, use]);
    return pair;
  };

  return {
    add: (use) => {
      const queue: [Pair, SchemaUse][] = [];
      visit(use, queue);
      const found: Pair[] = [];
      for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
        const [pair, { mode, written }] = at;
        found.push(pair);
        for (const edge of pair.edges) {
          const inner = visit({ old: edge.old, next: edge.new, mode, written }, queue);
          inner.users.push(pair);
          pair.inside.push({ edge, pair: inner });
        }
      }
      markDirty(found);
    },
    collect: (use) => {
      const root = pairs.get(keyOfUse(use));
      return root === undefined ? [] : collect(root);
    },
  };
}

function keyOfUse({ old, next, mode, written }: SchemaUse): string {
  return `${mode}/${written}/${keyOf(old)}/${keyOf(next)}`;
}

/** A pair whose comparison takes too long is a finding; the others go on with what is left. */
function settled(
  context: SchemaContext,
  { old, next, mode, written }: SchemaUse,
  unchanged: Unchanged,
  subset: SubsetTest,
): PairResult {
  try {
    return comparePair(context, old, next, { mode, written, unchanged, subset });
  } catch (error) {
    if (!(error instanceof BudgetError) && !(error instanceof RangeError)) throw error;
    const reason = "the comparison of the schemas exceeds its limit of work";
    return { findings: [{ kind: "undecided", effect: "unknown", reason }], edges: [] };
  }
}

function markDirty(found: readonly Pair[]): void {
  const queue = found.filter(
    ({ findings, inside }) => findings.length > 0 || inside.some(({ pair }) => pair.dirty),
  );
  for (let pair = queue.pop(); pair !== undefined; pair = queue.pop()) {
    if (pair.dirty) continue;
    pair.dirty = true;
    queue.push(...pair.users);
  }
}

interface Visit {
  pair: Pair;
  pass: number;
  flips: boolean;
  route: readonly Hop[];
}

function collect(root: Pair): Reached[] {
  const reached: Reached[] = [];
  const seen = new Set<string>();
  const queue: Visit[] = [{ pair: root, pass: ALL, flips: false, route: [] }];
  for (let index = 0; index < queue.length && reached.length < REACHED_MAX; index++) {
    const at = queue[index];
    if (at === undefined || !at.pair.dirty) continue;
    const { pair, pass, flips, route } = at;
    const key = `${pair.key}/${pass}/${flips}`;
    if (seen.has(key)) continue;
    seen.add(key);
    for (const finding of pair.findings) {
      if (!isHeard(finding, finding.effect, pass)) continue;
      const judged = flips ? turnedFinding(finding) : finding;
      if (judged === undefined) continue;
      reached.push({ finding: judged, effect: judged.effect, route, old: pair.old, next: pair.next });
    }
    const from = { old: pair.old, next: pair.next };
    for (const { edge, pair: inner } of pair.inside) {
      const through = edge.flips === true ? turnedPass(pass & edge.pass) : pass & edge.pass;
      if (through === 0) continue;
      const hop = { step: edge.step, from, old: edge.old, next: edge.new };
      queue.push({
        pair: inner,
        pass: through,
        flips: flips !== (edge.flips === true),
        route: [...route, hop],
      });
    }
  }
  return reached;
}

/** Returns a finding on values that are excluded, with its effect reversed. Undefined if it says nothing about excluded values. */
function turnedFinding(finding: Finding): Finding | undefined {
  const { kind, levels, lost } = finding;
  if (/^(?:default|extensible)-/.test(kind)) return undefined;
  if (lost === true || kind === "property-added") return { ...finding, effect: "unknown", levels: undefined };
  const turnedLevels = levels && { request: levels.response, response: levels.request };
  return { ...finding, effect: turned(finding.effect), levels: turnedLevels };
}

function isHeard({ lost }: Finding, effect: Effect, pass: number): boolean {
  if (pass === ALL || effect === "both" || effect === "unknown" || lost === true) return true;
  return (pass & (effect === "narrow" ? NARROW : WIDEN)) !== 0;
}

function turned(effect: Effect): Effect {
  return effect === "narrow" ? "widen" : effect === "widen" ? "narrow" : effect;
}

function turnedPass(pass: number): number {
  return (pass & NARROW ? WIDEN : 0) | (pass & WIDEN ? NARROW : 0);
}
