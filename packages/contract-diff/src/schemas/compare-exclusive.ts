import { isObject, type JsonValue, ownValue } from "@waymark/openapi/json.ts";
import { type Conjunction, keyOf } from "../read/node.ts";
import { accepts } from "./accepts.ts";
import { type Expansion, type SchemaContext, spend } from "./context.ts";
import { areDisjoint } from "./disjoint.ts";
import { declares, namesAll } from "./declares.ts";
import type { Finding } from "./pair-result.ts";
import { sample, sampleShape } from "./sample.ts";
import type { Shape } from "./shape.ts";
import type { PairSettings } from "./subset.ts";

/** Pairs of alternatives of one list: 64 alternatives have 2016. */
const PAIRS_MAX = 2016;
/** Keywords of a list of alternatives that restrict nothing else. */
const BARE = new Set(["oneOf", "discriminator", "title", "description"]);
const UNDECIDED = "whether a value matches two alternatives could not be decided";

interface Sides {
  context: SchemaContext;
  /** The side whose lists are looked at. */
  side: Conjunction;
  other: Conjunction;
  isKept: (alternative: Conjunction) => boolean;
}

type Overlap = { value: JsonValue } | "undecided" | undefined;

/**
 * Finds values that match two alternatives of a `oneOf`, which allows only those that match one, and that the other side allows.
 * Only values with declared names count: to open objects, alternatives would nearly always overlap.
 */
export function compareExclusive(
  context: SchemaContext,
  old: Conjunction,
  next: Conjunction,
  { unchanged }: PairSettings,
): Finding[] {
  const [before, after] = [context.expand(old).exclusive, context.expand(next).exclusive];
  if (before.length + after.length === 0) return [];
  const findings: Finding[] = [];
  const keptIn = (lists: Expansion["exclusive"], same: (a: Conjunction, b: Conjunction) => boolean) => {
    const [only, ...more] = lists;
    return (each: Conjunction) => more.length === 0 && only?.some((known) => same(each, known)) === true;
  };
  const wasThere = keptIn(before, (each, known) => unchanged.schemas(known, each));
  const narrowed = findOverlap({ context, side: next, other: old, isKept: wasThere });
  const keyword = "oneOf";
  // A discriminator chooses the alternative; only strict validators refuse the value.
  const levels = hasDiscriminator(next) ? { request: "maybe" as const } : undefined;
  if (narrowed === "undecided") {
    const safe = { response: "safe" as const };
    findings.push({
      kind: "alternatives-overlap",
      effect: "unknown",
      keyword,
      levels: safe,
      reason: UNDECIDED,
    });
  } else if (narrowed !== undefined) {
    const witness = () => narrowed.value;
    findings.push({ kind: "alternatives-overlap", effect: "narrow", keyword, levels, witness });
  }
  const stays = keptIn(after, (each, known) => unchanged.schemas(each, known));
  const widened = findOverlap({ context, side: old, other: next, isKept: stays });
  if (widened !== undefined && widened !== "undecided") {
    const kind = "alternatives-overlap-removed";
    // Nobody means that these values are refused, but the text says it.
    const maybe = { response: "maybe" as const };
    findings.push({ kind, effect: "widen", keyword, levels: maybe, witness: () => widened.value });
  }
  return findings;
}

/** Finds an overlap that came with a changed alternative: the others overlap on both sides, or on none. */
function findOverlap(sides: Sides): Overlap {
  let overlap: Overlap;
  for (const alternatives of sides.context.expand(sides.side).exclusive) {
    const kept = new Set(alternatives.filter(sides.isKept));
    let pairs = 0;
    for (const [index, first] of alternatives.entries()) {
      for (const second of alternatives.slice(index + 1)) {
        if (kept.has(first) && kept.has(second)) continue;
        if (++pairs > PAIRS_MAX) return "undecided";
        const found = valueOfBoth(sides, first, second);
        if (typeof found === "object") return found;
        overlap ??= found;
      }
    }
  }
  return overlap;
}

function valueOfBoth(sides: Sides, first: Conjunction, second: Conjunction): Overlap {
  const { context } = sides;
  spend(context);
  if (keyOf(first) === keyOf(second) || cannotMeet(sides, first, second)) return undefined;
  const shapes = shapesOfBoth(sides, first, second);
  if (shapes.length === 0) return undefined;
  let undecided = false;
  for (const value of candidates(context, shapes, [first, second])) {
    const isOfBoth = value === undefined ? undefined : matchesBoth(context, value, [first, second]);
    if (value === undefined || isOfBoth === undefined) undecided = true;
    else if (isOfBoth && isNewlyRefused(sides, value)) return { value };
  }
  // Without a value, objects are taken for kinds of their own.
  const isText = shapes.some(({ types, values }) => types.has("string") && values === undefined);
  return undecided && isText ? "undecided" : undefined;
}

function matchesBoth(
  context: SchemaContext,
  value: JsonValue,
  alternatives: readonly Conjunction[],
): boolean | undefined {
  const matches = alternatives.map((alternative) => accepts(context, alternative, value));
  if (matches.includes(false)) return false;
  return matches.includes(undefined) ? undefined : true;
}

function isNewlyRefused({ context, side, other }: Sides, value: JsonValue): boolean {
  return (
    accepts(context, other, value) === true &&
    declares(context, other, value) &&
    accepts(context, side, value) === false
  );
}

/** True if no value with declared names is known to match both: most alternatives are told apart by what they require. */
function cannotMeet({ context, other }: Sides, first: Conjunction, second: Conjunction): boolean {
  const [left, right] = [context.expand(first), context.expand(second)];
  if (left.undecided !== undefined || right.undecided !== undefined) return false;
  const { shapes } = context.expand(other);
  const isApart = (a: Shape, b: Shape) => {
    if (areDisjoint(context, a, b)) return true;
    if (!isObjectOnly(a) && !isObjectOnly(b)) return false;
    return !shapes.some((shape) => namesAll(shape, a.required) && namesAll(shape, b.required));
  };
  return left.shapes.every((a) => right.shapes.every((b) => isApart(a, b)));
}

function isObjectOnly({ types }: Shape): boolean {
  return types.size === 1 && types.has("object");
}

/** Returns what both alternatives allow together with the schema around them. */
function shapesOfBoth({ context, side }: Sides, first: Conjunction, second: Conjunction): readonly Shape[] {
  const isBare = side.every(
    ({ value }) => isObject(value) && Object.keys(value).every((key) => BARE.has(key)),
  );
  return context.expand(isBare ? [...first, ...second] : [...side, ...first, ...second]).shapes;
}

function* candidates(
  context: SchemaContext,
  shapes: readonly Shape[],
  alternatives: readonly Conjunction[],
): Generator<JsonValue | undefined> {
  for (const shape of shapes) {
    for (const type of shape.types) yield sampleShape(context, shape, { type });
    if (shape.types.has("object")) yield sampleShape(context, shape, { type: "object", fullness: "all" });
  }
  // An object of one alternative may match another one that is open.
  for (const alternative of alternatives) {
    for (const fullness of ["required", "all"] as const) {
      const value = sample(context, alternative, fullness);
      if (typeof value === "object") yield value;
    }
  }
}

function hasDiscriminator(conjunction: Conjunction): boolean {
  return conjunction.some(({ value }) => ownValue(value, "discriminator") !== undefined);
}
