import type { JsonValue } from "@waymark/openapi/json.ts";
import { acceptsShape, isMultiple } from "./accepts.ts";
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
  const findings: Finding[] = [];
  const shown = { before: show(before), after: show(after), keyword: "enum" };
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

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

export function compareNumbers(old: Shape, next: Shape): Finding[] {
  const findings: Finding[] = [];
  if (old.integer !== next.integer && old.multipleOf.join() === next.multipleOf.join()) {
    const [before, after] = [old, next].map(({ integer }) => (integer ? "integer" : "number"));
    const kind = next.integer ? "type-narrowed" : "type-widened";
    const within = next.integer ? old : next;
    const fraction = (within.minimum ?? within.exclusiveMinimum ?? (within.maximum ?? 1) - 1) + 0.5;
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

/** Formats whose values all are values of the second one. */
const WIDER = new Set([
  "int8 int16",
  "int8 int32",
  "int8 int64",
  "int16 int32",
  "int16 int64",
  "int32 int64",
  "float double",
  "uint8 uint16",
  "uint8 uint32",
  "uint8 uint64",
  "uint16 uint32",
  "uint32 uint64",
  "uint16 uint64",
  "email idn-email",
  "hostname idn-hostname",
  "uri uri-reference",
  "uri iri",
  "uri url",
  "url uri",
  "iri iri-reference",
]);
/** Formats that only say how a value is shown. */
const DISPLAY = new Set(["password", "textarea", "markdown", "html", "multiline"]);
const KNOWN = new Set([
  "date",
  "date-time",
  "time",
  "duration",
  "email",
  "idn-email",
  "hostname",
  "idn-hostname",
  "ipv4",
  "ipv6",
  "uri",
  "url",
  "uri-reference",
  "iri",
  "iri-reference",
  "uuid",
  "byte",
  "binary",
  "base64",
  "base64url",
  "json-pointer",
  "regex",
  "decimal",
]);

function compareNumberFormats(old: Shape, next: Shape): Finding[] {
  return compareFormat(old.numberFormat, next.numberFormat, true);
}

/** A format that comes or goes is an annotation to most validators; one that changes is another syntax. */
function compareFormat(before: string | undefined, after: string | undefined, known: boolean): Finding[] {
  if (before === after) return [];
  const shown = { keyword: "format", before: formatText(before), after: formatText(after) };
  if (before === undefined) {
    return [{ kind: "format-added", effect: "narrow", ...shown, levels: { request: "maybe" } }];
  }
  if (after === undefined) {
    return [{ kind: "format-removed", effect: "widen", ...shown, levels: { response: "maybe" } }];
  }
  if (WIDER.has(`${before} ${after}`)) return [{ kind: "format-widened", effect: "widen", ...shown }];
  if (WIDER.has(`${after} ${before}`)) return [{ kind: "format-narrowed", effect: "narrow", ...shown }];
  return [{ kind: "format-changed", effect: known ? "both" : "unknown", ...shown }];
}

function formatText(format: string | undefined): string | undefined {
  return format === undefined ? undefined : `format: ${format}`;
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

function compareTextFormats(old: ReadonlySet<string>, next: ReadonlySet<string>): Finding[] {
  const before = [...old].filter((format) => !next.has(format) && !DISPLAY.has(format));
  const after = [...next].filter((format) => !old.has(format) && !DISPLAY.has(format));
  const known = [...before, ...after].every((format) => KNOWN.has(format));
  return compareFormat(before[0], after[0], known);
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
