import type { JsonValue } from "@waymark/openapi/json.ts";
import { acceptsShape, isMultiple } from "./accepts.ts";
import { compareNumberFormats, compareTextFormats } from "./compare-formats.ts";
import { compareLimit, positive } from "./compare-limits.ts";
import type { SchemaContext } from "./context.ts";
import type { Effect, Finding } from "./pair-result.ts";
import { sampleString } from "./sample.ts";
import { canonicalText, type Shape, type TypeName, typeOf } from "./shape.ts";

const SHOWN_MAX = 5;

/** Compares values of one type where at least one side lists them. */
export function compareValues(context: SchemaContext, old: Shape, next: Shape, type: TypeName): Finding[] {
  const before = valuesOf(old, type);
  const after = valuesOf(next, type);
  const removed = (before ?? []).filter((value) => acceptsShape(context, next, value) === false);
  const added = (after ?? []).filter((value) => acceptsShape(context, old, value) === false);
  const open = (before ?? []).filter((value) => acceptsShape(context, next, value) === undefined);
  const unsure = (after ?? []).filter((value) => acceptsShape(context, old, value) === undefined);
  const findings: Finding[] = [];
  const shown = {
    before: show(before),
    after: show(after),
    exact: `${exactText(before)} ${exactText(after)}`,
    keyword: "enum",
  };
  if (open.length + unsure.length > 0) {
    const reason = "whether the other limits allow the listed values could not be decided";
    findings.push({ kind: "enum-replaced", effect: "unknown", ...shown, reason });
  }
  if (before?.length === 1 && after?.length === 1 && removed.length === 1) {
    return [{ kind: "const-changed", effect: "both", ...shown, witness: () => removed[0] }];
  }
  if (before === undefined) {
    findings.push({ kind: "enum-added", effect: "narrow", ...shown });
  } else if (removed.length > 0) {
    findings.push(listed("enum-value-removed", "narrow", removed, shown));
  }
  if (after === undefined) {
    findings.push({ kind: "enum-removed", effect: "widen", ...shown });
  } else if (added.length > 0) {
    findings.push(listed("enum-value-added", "widen", added, shown));
  }
  return findings;
}

function listed(kind: string, effect: Effect, values: JsonValue[], shown: Partial<Finding>): Finding {
  return {
    kind,
    effect,
    ...shown,
    [effect === "narrow" ? "before" : "after"]: show(values),
    exact: exactText(values),
    witness: () => values[0],
  };
}

function valuesOf({ values }: Shape, type: TypeName): JsonValue[] | undefined {
  return values === undefined ? undefined : [...values.values()].filter((value) => typeOf(value) === type);
}

export function show(values: readonly JsonValue[] | undefined): string | undefined {
  if (values === undefined) return undefined;
  const texts = values.slice(0, SHOWN_MAX).map((value) => shorten(canonicalText(value)));
  return values.length > SHOWN_MAX
    ? `${texts.join(", ")} and ${values.length - SHOWN_MAX} more`
    : texts.join(", ");
}

/** Returns all values as text, for the fingerprint of a change. */
export function exactText(values: readonly JsonValue[] = []): string {
  return values.map(canonicalText).toSorted().join(" ");
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

export function compareNumbers(old: Shape, next: Shape): Finding[] {
  const findings: Finding[] = [];
  if (changesInteger(old, next)) {
    const [before, after] = [old, next].map(({ integer }) => (integer ? "integer" : "number"));
    const kind = next.integer ? "type-narrowed" : "type-widened";
    const within = next.integer ? old : next;
    const [factor] = within.multipleOf;
    const fraction = factor ?? (within.minimum ?? within.exclusiveMinimum ?? (within.maximum ?? 1) - 1) + 0.5;
    findings.push({
      kind,
      effect: next.integer ? "narrow" : "widen",
      keyword: "type",
      before,
      after,
      witness: () => fraction,
    });
  }
  return [
    ...findings,
    ...compareBound("minimum", old, next),
    ...compareBound("maximum", old, next),
    ...compareMultiples(old, next),
    ...compareNumberFormats(old, next),
  ];
}

/** True if whole numbers are now required, or no longer, and no multiple says the same. */
function changesInteger(old: Shape, next: Shape): boolean {
  if (old.integer === next.integer) return false;
  const other = next.integer ? old : next;
  return !other.multipleOf.some((factor) => isMultiple(factor, 1));
}

/** Compares the effective bound: an exclusive bound is a little tighter than an inclusive one. */
function compareBound(name: "minimum" | "maximum", old: Shape, next: Shape): Finding[] {
  const exclusive = name === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
  const side = name === "minimum" ? "lower" : "upper";
  const values = [old, next].map((shape) => shape[name] ?? shape[exclusive]);
  const isExclusive = [old, next].map((shape) => shape[name] === undefined && shape[exclusive] !== undefined);
  const [before, after] = values;
  if (before === after && isExclusive[0] === isExclusive[1]) return [];
  const keywords = isExclusive.map((each) => (each ? exclusive : name));
  if (before !== undefined && before === after) {
    const effect = isExclusive[1] === true ? "narrow" : "widen";
    const kind = `${name}-became-${isExclusive[1] === true ? "exclusive" : "inclusive"}`;
    const texts = { before: `${keywords[0]}: ${before}`, after: `${keywords[1]}: ${after}` };
    return [{ kind, effect, keyword: keywords[1], ...texts, witness: () => before }];
  }
  const keyword = (after === undefined ? keywords[0] : keywords[1]) ?? name;
  const found = compareLimit({ name, keyword, side, old: before, new: after, witness: (limit) => limit });
  if (isExclusive[0] === isExclusive[1] || before === undefined || after === undefined) return found;
  return found.map((finding) => ({
    ...finding,
    before: `${keywords[0]}: ${before}`,
    after: `${keywords[1]}: ${after}`,
  }));
}

function compareMultiples(old: Shape, next: Shape): Finding[] {
  const implied = (factor: number, by: readonly number[]) => by.some((each) => isMultiple(each, factor));
  const unmet = next.multipleOf.find(
    (factor) => !implied(factor, old.multipleOf) && !(old.integer && isMultiple(1, factor)),
  );
  const freed = old.multipleOf.find(
    (factor) => !implied(factor, next.multipleOf) && !(next.integer && isMultiple(1, factor)),
  );
  if (unmet === undefined && freed === undefined) return [];
  const effect: Effect = unmet === undefined ? "widen" : freed === undefined ? "narrow" : "both";
  const kind = old.multipleOf.length === 0 ? "added" : next.multipleOf.length === 0 ? "removed" : "changed";
  return [
    {
      kind: `multiple-of-${kind}`,
      effect,
      keyword: "multipleOf",
      before: old.multipleOf.length === 0 ? undefined : `multipleOf: ${old.multipleOf.join(", ")}`,
      after: next.multipleOf.length === 0 ? undefined : `multipleOf: ${next.multipleOf.join(", ")}`,
      witness: () => (effect === "widen" ? next.multipleOf[0] : old.multipleOf[0]) ?? 1,
    },
  ];
}

export function compareStrings(context: SchemaContext, old: Shape, next: Shape): Finding[] {
  const text = (shapes: [Shape, Shape]) => (limit: number) =>
    sampleString(context, limit > (shapes[0].maxLength ?? Infinity) ? shapes[1] : shapes[0], limit);
  return [
    ...compareLimit({
      name: "min-length",
      keyword: "minLength",
      side: "lower",
      old: positive(old.minLength),
      new: positive(next.minLength),
      witness: text([old, next]),
    }),
    ...compareLimit({
      name: "max-length",
      keyword: "maxLength",
      side: "upper",
      old: old.maxLength,
      new: next.maxLength,
      witness: text([old, next]),
    }),
    ...comparePatterns(context, old.patterns, next.patterns),
    ...compareTextFormats(old.formats, next.formats),
    ...compareContent(old, next),
  ];
}

function comparePatterns(
  context: SchemaContext,
  old: ReadonlySet<string>,
  next: ReadonlySet<string>,
): Finding[] {
  const removed = [...old].filter((pattern) => !next.has(pattern));
  const added = [...next].filter((pattern) => !old.has(pattern));
  if (removed.length === 0 && added.length === 0) return [];
  const narrowing = escapes(context, [...old], added);
  const widening = escapes(context, [...next], removed);
  if (narrowing.answer === "no" && widening.answer === "no") return [];
  const known = narrowing.answer !== "unknown" && widening.answer !== "unknown";
  const [narrow, widen] = [narrowing.answer === "yes", widening.answer === "yes"];
  const effect: Effect = !known ? "unknown" : narrow && widen ? "both" : narrow ? "narrow" : "widen";
  const kind =
    removed.length === 0 ? "pattern-added" : added.length === 0 ? "pattern-removed" : "pattern-changed";
  const text = (patterns: string[]) =>
    patterns.length === 0 ? undefined : `pattern: ${patterns.join(", ")}`;
  const witness = effect === "widen" ? widening.witness : narrowing.witness;
  return [
    {
      kind,
      effect,
      keyword: "pattern",
      before: text(removed),
      after: text(added),
      witness: witness === undefined ? undefined : () => witness,
      levels: effect === "narrow" ? undefined : { response: "maybe" },
      reason: effect === "unknown" ? "the expressions could not be compared" : undefined,
    },
  ];
}

/** Whether a text of all `inner` patterns can miss one of the `outer` ones. */
function escapes(
  context: SchemaContext,
  inner: readonly string[],
  outer: readonly string[],
): { answer: "yes" | "no" | "unknown"; witness?: string | undefined } {
  let unknown = false;
  for (const pattern of outer) {
    if (inner.length === 0) return { answer: "yes" };
    const answers = inner.map((each) => context.includesPattern(each, pattern));
    if (answers.some(({ answer }) => answer === "yes")) continue;
    const [only] = answers;
    if (answers.length === 1 && only?.answer === "no") return { answer: "yes", witness: only.witness };
    unknown = true;
  }
  return { answer: unknown ? "unknown" : "no" };
}

function compareContent(old: Shape, next: Shape): Finding[] {
  return ["contentMediaType", "contentEncoding"].flatMap((keyword) => {
    const [before, after] = [old.content.get(keyword), next.content.get(keyword)];
    if (before === after) return [];
    const text = (value: string | undefined) => (value === undefined ? undefined : `${keyword}: ${value}`);
    const finding: Finding = {
      kind: "content-changed",
      effect: "unknown",
      keyword,
      before: text(before),
      after: text(after),
    };
    return [finding];
  });
}
