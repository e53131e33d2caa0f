import { acceptsShape } from "./accepts.ts";
import type { SchemaContext } from "./context.ts";
import type { Finding } from "./pair-result.ts";
import { exactText, show } from "./compare-scalars.ts";
import type { Shape, TypeName } from "./shape.ts";

const WRITTEN: readonly TypeName[] = ["boolean", "number", "string"];

export interface Textual {
  /** Types that need no further comparison. */
  settled: ReadonlySet<TypeName>;
  findings: Finding[];
}

/**
 * Compares scalars that are written as text, such as in a query: a number is a text as well. Returns undefined if their types
 * are compared as in JSON.
 */
export function textualTypes(
  context: SchemaContext,
  before: readonly Shape[],
  after: readonly Shape[],
): Textual | undefined {
  const [olds, news] = [typesOf(before), typesOf(after)];
  if (WRITTEN.every((type) => olds.has(type) === news.has(type))) return undefined;
  const listed = compareListed(before, after);
  if (listed !== undefined) return { settled: new Set(WRITTEN), findings: listed };
  const lost = WRITTEN.filter((type) => olds.has(type) && !news.has(type));
  const gained = WRITTEN.filter((type) => news.has(type) && !olds.has(type));
  const settled = new Set<TypeName>();
  const findings: Finding[] = [];
  const absorbed = lost.filter((type) => type !== "string" && isCovered(context, before, type, after));
  for (const type of absorbed) settled.add(type);
  const freed = gained.filter((type) => type !== "string" && isCovered(context, after, type, before));
  for (const type of freed) settled.add(type);
  const keyword = "type";
  const names = { before: [...olds].join(" or "), after: [...news].join(" or ") };
  if (gained.includes("string") && absorbed.length > 0 && absorbed.length === lost.length) {
    settled.add("string");
    findings.push({ kind: "type-widened", effect: "widen", keyword, ...names });
  }
  if (lost.includes("string") && freed.length > 0 && freed.length === gained.length) {
    settled.add("string");
    findings.push({ kind: "type-narrowed", effect: "narrow", keyword, ...names, witness: () => "a" });
  }
  return { settled, findings };
}

function typesOf(shapes: readonly Shape[]): Set<TypeName> {
  return new Set(shapes.flatMap(({ types }) => [...types]));
}

/** True if the texts of all values of a type are allowed as strings by the other side. */
function isCovered(
  context: SchemaContext,
  shapes: readonly Shape[],
  type: TypeName,
  others: readonly Shape[],
): boolean {
  const strings = others.filter(({ types }) => types.has("string"));
  return shapes
    .filter(({ types }) => types.has(type))
    .every(({ values }) => {
      if (values === undefined && type !== "boolean") return strings.some(isUnlimited);
      const texts =
        type === "boolean" && values === undefined
          ? ["true", "false"]
          : [...(values?.values() ?? [])].map(String);
      return texts.every((text) => strings.some((shape) => acceptsShape(context, shape, text) === true));
    });
}

function isUnlimited(shape: Shape): boolean {
  return (
    shape.values === undefined &&
    shape.patterns.size === 0 &&
    shape.formats.size === 0 &&
    shape.minLength <= 1 &&
    shape.maxLength === undefined
  );
}

/** Compares the texts, where both sides list all their values. */
function compareListed(before: readonly Shape[], after: readonly Shape[]): Finding[] | undefined {
  const texts = [before, after].map((shapes) => shapes.map(({ values }) => values));
  if (texts.flat().includes(undefined)) return undefined;
  const [olds, news] = texts.map(
    (lists) => new Set(lists.flatMap((values) => [...(values?.values() ?? [])].map(String))),
  );
  const gone = [...(olds ?? [])].filter((text) => news?.has(text) !== true);
  const come = [...(news ?? [])].filter((text) => olds?.has(text) !== true);
  const findings: Finding[] = [];
  if (gone.length > 0)
    findings.push({
      kind: "enum-value-removed",
      effect: "narrow",
      keyword: "enum",
      before: show(gone),
      exact: exactText(gone),
    });
  if (come.length > 0)
    findings.push({
      kind: "enum-value-added",
      effect: "widen",
      keyword: "enum",
      after: show(come),
      exact: exactText(come),
    });
  return findings;
}
