import { compareArrays } from "./compare-arrays.ts";
import { compareConditions } from "./compare-dependencies.ts";
import { compareObjects } from "./compare-objects.ts";
import { areDisjoint } from "./disjoint.ts";
import { compareNumbers, compareStrings, compareValues } from "./compare-scalars.ts";
import { type SchemaContext, spend } from "./context.ts";
import { matchAlternatives, matchNamed } from "./match-alternatives.ts";
import { isScalar } from "./normalize-shape.ts";
import { ALL, type Edge, emptyResult, type Finding, NARROW, type PairResult, WIDEN } from "./pair-result.ts";
import { sampleShape } from "./sample.ts";
import type { Shape, TypeName } from "./shape.ts";
import { isSubset, type PairSettings, type SubsetTest } from "./subset.ts";

interface TypeSettings extends PairSettings {
  type: TypeName;
  subset: SubsetTest;
}

/**
 * Compares the alternatives of one type. An alternative that the other side covers is no change; the others are compared with
 * the one that resembles them most.
 */
export function compareAlternatives(
  context: SchemaContext,
  olds: readonly Shape[],
  news: readonly Shape[],
  settings: TypeSettings,
): PairResult {
  const [old, next] = [olds[0], news[0]];
  if (olds.length === 1 && news.length === 1 && old !== undefined && next !== undefined) {
    return compareShapes(context, old, next, settings);
  }
  const result = emptyResult();
  // Alternatives of one name are compared directly: testing each against each takes minutes where they contain each other.
  const named = matchNamed(olds, news);
  for (const { old: from, next: to } of named)
    addPassing(result, compareShapes(context, from, to, settings), ALL);
  const known = new Set(named.flatMap((pair) => [pair.old, pair.next]));
  const covers = (inner: Shape, outer: Shape) =>
    !areDisjoint(context, inner, outer) &&
    (isSameShape(inner, outer, settings) ||
      isSubset(compareShapes(context, inner, outer, settings), settings.subset) === "yes");
  const left = (shapes: readonly Shape[]) => shapes.filter((shape) => !known.has(shape));
  const [before, after] = [distinct(left(olds), covers, settings), distinct(left(news), covers, settings)];
  const gone = before.filter((shape) => ![...after, ...news].some((other) => covers(shape, other)));
  const come = after.filter((shape) => ![...before, ...olds].some((other) => covers(shape, other)));
  if (gone.length === 0 && come.length === 0) return result;
  const matched = matchAlternatives({ before, after, gone, come, covers });
  for (const { old: from, next: to } of matched) {
    const pass = (gone.includes(from) ? NARROW : 0) | (come.includes(to) ? WIDEN : 0);
    addPassing(result, compareShapes(context, from, to, settings), pass);
  }
  const paired = new Set(matched.flatMap((pair) => [pair.old, pair.next]));
  for (const shape of gone)
    if (!paired.has(shape)) result.findings.push(alternative(context, shape, settings, "removed"));
  for (const shape of come)
    if (!paired.has(shape)) result.findings.push(alternative(context, shape, settings, "added"));
  return result;
}

/** Compares two shapes in their values of one type. */
function compareShapes(context: SchemaContext, old: Shape, next: Shape, settings: TypeSettings): PairResult {
  const { type } = settings;
  spend(context, 1 + old.rules.length + next.rules.length);
  const result = emptyResult();
  if (old.values !== undefined || next.values !== undefined) {
    return { findings: placed(compareValues(context, old, next, type), old, next), edges: [] };
  }
  if (type === "number") result.findings.push(...compareNumbers(old, next));
  if (type === "string") {
    result.findings.push(...compareStrings(context, old, next));
    const step = { kind: "part" as const, keyword: "contentSchema" };
    if (old.contentSchema.length + next.contentSchema.length > 0) {
      result.edges.push({ old: old.contentSchema, new: next.contentSchema, step, pass: ALL });
    }
  }
  const inner =
    type === "array"
      ? compareArrays(context, old, next, settings)
      : type === "object"
        ? compareObjects(context, old, next, settings.mode)
        : undefined;
  for (const part of [inner, compareConditions(old, next, settings)]) {
    if (part === undefined) continue;
    result.findings.push(...part.findings);
    result.edges.push(...part.edges);
  }
  return { findings: placed(result.findings, old, next), edges: result.edges };
}

/** Names the schemas that have the keyword, so that the place is the exact one. */
function placed(findings: Finding[], old: Shape, next: Shape): Finding[] {
  const find = ({ origin }: Shape, keyword: string | undefined, step: Finding["step"]) => {
    const holders = origin.filter(({ value }) => keyword !== undefined && hasKeyword(value, keyword));
    const name = step?.kind === "property" ? step.name : undefined;
    return (
      holders.find(({ value }) => name !== undefined && mentions(value, keyword ?? "", name)) ??
      holders[0] ??
      origin.at(-1)
    );
  };
  return findings.map((finding) => ({
    oldNode: find(old, finding.keyword, finding.step),
    newNode: find(next, finding.keyword, finding.step),
    ...finding,
  }));
}

function hasKeyword(value: unknown, keyword: string): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, keyword);
}

function mentions(value: unknown, keyword: string, name: string): boolean {
  const held = hasKeyword(value, keyword)
    ? Object.entries(value ?? {}).find(([key]) => key === keyword)?.[1]
    : undefined;
  return Array.isArray(held)
    ? held.includes(name)
    : typeof held === "object" && held !== null && Object.hasOwn(held, name);
}

function isSameShape(a: Shape, b: Shape, { unchanged }: PairSettings): boolean {
  return a.origin.length === b.origin.length && unchanged.schemas(a.origin, b.origin);
}

/** Joins listed values of a type into one alternative, and leaves out alternatives that another one covers. */
function distinct(
  shapes: readonly Shape[],
  covers: (inner: Shape, outer: Shape) => boolean,
  { type }: TypeSettings,
): Shape[] {
  const joined = isScalar(type) ? joinValues(shapes) : [...shapes];
  const left: Shape[] = [];
  for (const shape of joined) {
    if (left.some((other) => covers(shape, other))) continue;
    const kept = left.filter((other) => !covers(other, shape));
    left.splice(0, left.length, ...kept, shape);
  }
  return left;
}

function joinValues(shapes: readonly Shape[]): Shape[] {
  const listed = shapes.filter(({ values }) => values !== undefined);
  const [first] = listed;
  if (first === undefined || listed.length === 1) return [...shapes];
  const values = new Map(listed.flatMap((shape) => [...(shape.values ?? [])]));
  const origin = [...new Set(listed.flatMap((shape) => shape.origin))];
  return [{ ...first, values, origin }, ...shapes.filter((shape) => shape.values === undefined)];
}

function addPassing(result: PairResult, { findings, edges }: PairResult, pass: number): void {
  const isHeard = ({ effect, lost }: Finding): boolean => {
    if (effect === "both" || effect === "unknown" || lost === true) return true;
    return (pass & (effect === "narrow" ? NARROW : WIDEN)) !== 0;
  };
  result.findings.push(...findings.filter(isHeard));
  // Inside a schema that turns effects round, the filter is turned when the pair is visited.
  result.edges.push(...edges.map((edge): Edge => ({ ...edge, pass: edge.pass & pass })));
}

function alternative(
  context: SchemaContext,
  shape: Shape,
  { type }: TypeSettings,
  what: "added" | "removed",
): Finding {
  const node = shape.origin.at(-1);
  const name = shape.origin.findLast((each) => each.name !== undefined)?.name ?? type;
  const isRemoved = what === "removed";
  return {
    kind: `alternative-${what}`,
    effect: isRemoved ? "narrow" : "widen",
    [isRemoved ? "before" : "after"]: name,
    [isRemoved ? "oldNode" : "newNode"]: node,
    subject: name,
    witness: () => sampleShape(context, shape, { type }),
  };
}
