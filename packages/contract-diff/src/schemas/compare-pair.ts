import type { Conjunction } from "../read/node.ts";
import { compareAlternatives } from "./compare-alternatives.ts";
import { compareAnnotations, comparePartsOfAllOf } from "./compare-annotations.ts";
import type { SchemaContext } from "./context.ts";
import { compareDiscriminators } from "./compare-discriminators.ts";
import { compareExclusive } from "./compare-exclusive.ts";
import { emptyResult, type Finding, type PairResult } from "./pair-result.ts";
import { sampleShape } from "./sample.ts";
import { compareXml } from "./compare-xml.ts";
import { type PairSettings, type SubsetTest } from "./subset.ts";
import { textualTypes } from "./textual.ts";
import { type Shape, TYPES, type TypeName } from "./shape.ts";

/** Compares two schemas: their own differences, and the pairs of schemas inside them. */
export function comparePair(
  context: SchemaContext,
  old: Conjunction,
  next: Conjunction,
  settings: PairSettings & { subset: SubsetTest },
): PairResult {
  if (settings.unchanged.schemas(old, next)) return emptyResult();
  const [before, after] = [context.expand(old), context.expand(next)];
  const result = emptyResult();
  const undecided = before.undecided ?? after.undecided;
  if (undecided !== undefined) {
    result.findings.push({ kind: "undecided", effect: "unknown", reason: undecided });
    // Where one side is not known, the rest can't be compared with it.
    if (before.undecided !== after.undecided) return result;
  }
  const lost: TypeName[] = [];
  const gained: TypeName[] = [];
  const textual =
    settings.written !== "json" ? textualTypes(context, before.shapes, after.shapes) : undefined;
  for (const type of TYPES) {
    const olds = ofType(before.shapes, type);
    const news = ofType(after.shapes, type);
    if (textual?.settled.has(type) === true) continue;
    if (olds.length > 0 && news.length > 0) {
      merge(result, compareAlternatives(context, olds, news, { ...settings, type }));
    } else if (olds.length > 0) lost.push(type);
    else if (news.length > 0) gained.push(type);
  }
  if (textual !== undefined) result.findings.push(...textual.findings);
  result.findings.push(
    ...compareTypes(context, { before: before.shapes, after: after.shapes, lost, gained }),
  );
  const discriminators = compareDiscriminators(settings.subset, old, next);
  result.findings = withoutNamedTwice(result.findings, discriminators.findings);
  merge(result, discriminators);
  result.findings.push(...compareExclusive(context, old, next, settings));
  result.findings.push(...comparePartsOfAllOf(old, next), ...compareAnnotations(before.shapes, after.shapes));
  if (settings.written === "xml") result.findings.push(...compareXml(before.shapes, after.shapes));
  return result;
}

export function merge(into: PairResult, { findings, edges }: PairResult): void {
  into.findings.push(...findings);
  into.edges.push(...edges);
}

/** An alternative that comes or goes with its value is one change. */
function withoutNamedTwice(findings: Finding[], named: readonly Finding[]): Finding[] {
  const subjects = new Set(named.flatMap(({ subject }) => subject ?? []));
  const isNamed = ({ kind, subject }: Finding) =>
    kind.startsWith("alternative-") && subjects.has(subject ?? "");
  return findings.filter((finding) => !isNamed(finding));
}

function ofType(shapes: readonly Shape[], type: TypeName): Shape[] {
  return shapes.filter(({ types }) => types.has(type));
}

interface Types {
  before: readonly Shape[];
  after: readonly Shape[];
  lost: readonly TypeName[];
  gained: readonly TypeName[];
}

function compareTypes(context: SchemaContext, types: Types): Finding[] {
  const { before, after } = types;
  const findings: Finding[] = [];
  const lost = types.lost.filter((type) => type !== "null");
  const gained = types.gained.filter((type) => type !== "null");
  const keyword = "type";
  if (before.length > 0 && after.length === 0) {
    return [{ kind: "values-forbidden", effect: "narrow", before: typeNames(before), after: "no value" }];
  }
  if (before.length === 0 && after.length > 0) {
    return [{ kind: "values-allowed", effect: "widen", before: "no value", after: typeNames(after) }];
  }
  // Without the other types there is nothing to take null back from, or to add it to.
  if (types.lost.includes("null") && after.length > 0) {
    findings.push({
      kind: "null-removed",
      effect: "narrow",
      keyword,
      before: "null allowed",
      witness: () => null,
    });
  }
  if (types.gained.includes("null") && before.length > 0) {
    findings.push({
      kind: "null-added",
      effect: "widen",
      keyword,
      after: "null allowed",
      witness: () => null,
    });
  }
  if (lost.length === 0 && gained.length === 0) return findings;
  const kind =
    lost.length > 0 && gained.length > 0
      ? "type-changed"
      : lost.length > 0
        ? "type-narrowed"
        : "type-widened";
  const effect = kind === "type-changed" ? "both" : kind === "type-narrowed" ? "narrow" : "widen";
  const [shapes, names] = effect === "widen" ? [after, gained] : [before, lost];
  findings.push({
    kind,
    effect,
    keyword,
    before: typeNames(before),
    after: typeNames(after),
    witness: () => sampleOfType(context, shapes, names),
  });
  return findings;
}

function sampleOfType(context: SchemaContext, shapes: readonly Shape[], [type]: readonly TypeName[]) {
  const shape = shapes.find(({ types }) => type !== undefined && types.has(type));
  return shape === undefined || type === undefined ? undefined : sampleShape(context, shape, { type });
}

/** Returns such as `string or null`; `any value` for all types. */
export function typeNames(shapes: readonly Shape[]): string {
  const found = new Set<string>();
  for (const shape of shapes) {
    for (const type of shape.types) found.add(type === "number" && shape.integer ? "integer" : type);
  }
  if (found.size >= TYPES.length) return "any value";
  if (found.has("number")) found.delete("integer");
  return [...found].join(" or ");
}
