import type { Conjunction } from "../read/node.ts";
import { ALL, type Edge, type Finding, type PairResult } from "./pair-result.ts";
import type { Condition, Shape } from "./shape.ts";
import type { PairSettings } from "./subset.ts";
import { unpaired } from "./unpaired.ts";

/** Compares what one property demands of the others. */
export function compareDependencies(old: Shape, next: Shape): PairResult {
  const findings = compareDependentRequired(old, next);
  const edges: Edge[] = [];
  for (const name of new Set([...old.dependentSchemas.keys(), ...next.dependentSchemas.keys()])) {
    const [before, after] = [old.dependentSchemas.get(name), next.dependentSchemas.get(name)];
    if (before !== undefined && after !== undefined) {
      edges.push({ old: before, new: after, step: { kind: "part", keyword: "dependentSchemas" }, pass: ALL });
      continue;
    }
    const kind = before === undefined ? "dependent-schema-added" : "dependent-schema-removed";
    const effect = before === undefined ? "narrow" : "widen";
    findings.push({ kind, effect, keyword: "dependentSchemas", step: { kind: "property", name } });
  }
  return { findings, edges };
}

function compareDependentRequired(old: Shape, next: Shape): Finding[] {
  const findings: Finding[] = [];
  for (const name of new Set([...old.dependentRequired.keys(), ...next.dependentRequired.keys()])) {
    const [before, after] = [old.dependentRequired.get(name), next.dependentRequired.get(name)];
    const added = [...(after ?? [])].filter(
      (other) => before?.has(other) !== true && !next.required.has(other),
    );
    const gone = [...(before ?? [])].filter(
      (other) => after?.has(other) !== true && !old.required.has(other),
    );
    const base = { keyword: "dependentRequired", step: { kind: "property" as const, name } };
    if (added.length > 0) {
      findings.push({ kind: "dependent-required-added", effect: "narrow", ...base, after: added.join(", ") });
    }
    if (gone.length > 0) {
      findings.push({
        kind: "dependent-required-removed",
        effect: "widen",
        ...base,
        before: gone.join(", "),
      });
    }
  }
  return findings;
}

/** Compares `if`/`then`/`else` and `not`, which hold for values of every type. */
export function compareConditions(old: Shape, next: Shape, { unchanged }: PairSettings): PairResult {
  const same = (a: Conjunction, b: Conjunction) => unchanged.schemas(a, b);
  const isSameTest = (a: Condition, b: Condition) => same(a.test, b.test);
  const isSame = (a: Condition, b: Condition) =>
    isSameTest(a, b) && same(a.whenTrue, b.whenTrue) && same(a.whenFalse, b.whenFalse);
  const conditions = unpaired(old.conditions, next.conditions, [isSame, isSameTest]);
  const result: PairResult = { findings: [], edges: [] };
  for (const [before, after] of conditions) {
    if (before !== undefined && after !== undefined) {
      result.edges.push(...conditionEdges(before, after));
    } else {
      const kind = before === undefined ? "condition-added" : "condition-removed";
      result.findings.push({ kind, effect: before === undefined ? "narrow" : "widen", keyword: "if" });
    }
  }
  for (const [before, after] of unpaired(old.not, next.not, [same])) {
    const step = { kind: "part" as const, keyword: "not" };
    if (before !== undefined && after !== undefined) {
      result.edges.push({ old: before, new: after, step, pass: ALL, flips: true });
    } else {
      const kind = before === undefined ? "exclusion-added" : "exclusion-removed";
      result.findings.push({ kind, effect: before === undefined ? "narrow" : "widen", keyword: "not" });
    }
  }
  return result;
}

/** A changed `if` turns the values that it frees to `else`, and the values that it catches to `then`. */
function conditionEdges(before: Condition, after: Condition): Edge[] {
  const part = (member: keyof Condition, keyword: string, flips: boolean): Edge => ({
    old: before[member],
    new: after[member],
    step: { kind: "part", keyword },
    pass: ALL,
    flips,
  });
  const restricts = (member: keyof Condition) => before[member].length > 0 || after[member].length > 0;
  return [
    ...(restricts("whenTrue") ? [part("test", "if", true), part("whenTrue", "then", false)] : []),
    ...(restricts("whenFalse") ? [part("test", "if", false), part("whenFalse", "else", false)] : []),
  ];
}
