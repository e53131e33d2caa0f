import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { type Conjunction, STRING } from "../read/node.ts";
import { compareLimit, positive } from "./compare-limits.ts";
import { compareDependencies } from "./compare-dependencies.ts";
import type { SchemaContext } from "./context.ts";
import { isNever } from "./intersect.ts";
import { ALL, type Finding, type Mode, type PairResult } from "./pair-result.ts";
import { sampleObject, sampleShape } from "./sample.ts";
import { schemaOfName, schemaOfOthers, schemaOfPattern, type Shape } from "./shape.ts";
import { type VisibleProperties, visibleProperties } from "./visibility.ts";

interface ObjectSide extends VisibleProperties {
  shape: Shape;
  others: Conjunction;
  /** Refuses names that it doesn't list. */
  closed: boolean;
}

interface ObjectPair {
  context: SchemaContext;
  old: ObjectSide;
  next: ObjectSide;
  isMatch: (pattern: string, name: string) => boolean;
}

export function compareObjects(context: SchemaContext, old: Shape, next: Shape, mode: Mode): PairResult {
  const side = (shape: Shape): ObjectSide => {
    const others = schemaOfOthers(shape);
    return {
      ...visibleProperties(context, shape, mode),
      shape,
      others,
      closed: allowsNothing(context, others),
    };
  };
  const isMatch = (pattern: string, name: string) => context.matchesPattern(pattern, name) === true;
  const pair: ObjectPair = { context, old: side(old), next: side(next), isMatch };
  const parts = [
    compareNames(pair),
    compareRequired(pair),
    compareOthers(pair),
    { findings: compareSizes(context, old, next), edges: [] },
    compareDependencies(old, next),
    comparePropertyNames(old, next),
  ];
  return { findings: parts.flatMap(({ findings }) => findings), edges: parts.flatMap(({ edges }) => edges) };
}

function compareNames(pair: ObjectPair): PairResult {
  const { old, next } = pair;
  const result: PairResult = { findings: [], edges: [] };
  for (const [name, schema] of old.named) {
    const after = next.named.get(name);
    const step = { kind: "property" as const, name };
    if (after !== undefined) result.edges.push({ old: schema, new: after, step, pass: ALL });
    else if (isNever(schema)) continue;
    else if (next.hidden.has(name)) result.findings.push(removed(pair, name, "hidden"));
    else addVanished(pair, name, result);
  }
  for (const [name, schema] of next.named) {
    if (old.named.has(name) || isNever(schema)) continue;
    if (old.hidden.has(name)) result.findings.push(...added(pair, name));
    else addAppeared(pair, name, result);
  }
  return result;
}

/** A property that no schema names any more: another rule may still say what its value is. */
function addVanished(pair: ObjectPair, name: string, result: PairResult): void {
  const { old, next } = pair;
  const rest = schemaOfName(next.shape, name, pair.isMatch);
  if (isNever(rest)) result.findings.push(removed(pair, name, "closed"));
  else if (rest.length === 0) result.findings.push(removed(pair, name, "open"));
  else {
    result.edges.push({
      old: old.named.get(name) ?? [],
      new: rest,
      step: { kind: "property", name },
      pass: ALL,
    });
    if (old.required.has(name) && !next.required.has(name)) result.findings.push(becameOptional(pair, name));
  }
}

function addAppeared(pair: ObjectPair, name: string, result: PairResult): void {
  const { old, next } = pair;
  const before = schemaOfName(old.shape, name, pair.isMatch);
  result.findings.push(...added(pair, name));
  if (before.length === 0 || isNever(before)) return;
  result.edges.push({
    old: before,
    new: next.named.get(name) ?? [],
    step: { kind: "property", name },
    pass: ALL,
  });
}

/** Returns the finding of a property that is gone, no longer sent, or refused. */
function removed(pair: ObjectPair, name: string, why: "open" | "closed" | "hidden"): Finding {
  const required = pair.old.required.has(name);
  return {
    kind: why === "hidden" ? "property-hidden" : required ? "required-property-removed" : "property-removed",
    effect: why === "closed" ? "both" : "widen",
    levels: {
      request: why === "closed" ? "breaking" : "maybe",
      response: required ? "breaking" : "maybe",
    },
    step: { kind: "property", name },
    keyword: "properties",
    before: required ? "required" : "optional",
    lost: true,
    witness: () => (why === "closed" ? withProperty(pair, pair.old, name) : without(pair, pair.next, name)),
  };
}

function added(pair: ObjectPair, name: string): Finding[] {
  const { old, next } = pair;
  const step = { kind: "property" as const, name };
  if (next.required.has(name)) {
    if (old.required.has(name)) return [];
    const witness = () => without(pair, old, name);
    return [
      {
        kind: "required-property-added",
        effect: "narrow",
        step,
        keyword: "properties",
        after: "required",
        witness,
      },
    ];
  }
  const grows = !old.hidden.has(name) && isNever(schemaOfName(old.shape, name, pair.isMatch));
  const levels = grows
    ? { response: "maybe" as const }
    : { request: "safe" as const, response: "safe" as const };
  return [
    { kind: "property-added", effect: "widen", levels, step, keyword: "properties", after: "optional" },
  ];
}

/** True for `false`, and for other schemas without values, such as `not: {}`. */
function allowsNothing(context: SchemaContext, conjunction: Conjunction): boolean {
  if (conjunction.length === 0 || isNever(conjunction)) return conjunction.length > 0;
  const { shapes, undecided } = context.expand(conjunction);
  return shapes.length === 0 && undecided === undefined;
}

/** Names that are required on one side only, with or without a property of that name. */
function compareRequired(pair: ObjectPair): PairResult {
  const { old, next } = pair;
  const findings: Finding[] = [];
  for (const name of next.required) {
    if (old.required.has(name) || (next.named.has(name) && !old.named.has(name))) continue;
    const step = { kind: "property" as const, name };
    const texts = { before: "optional", after: "required", keyword: "required" };
    const witness = () => without(pair, old, name);
    findings.push({ kind: "property-became-required", effect: "narrow", step, ...texts, witness });
  }
  for (const name of old.required) {
    if (next.required.has(name) || next.hidden.has(name)) continue;
    if (!old.named.has(name) || next.named.has(name)) findings.push(becameOptional(pair, name));
  }
  return { findings, edges: [] };
}

function becameOptional(pair: ObjectPair, name: string): Finding {
  return {
    kind: "property-became-optional",
    effect: "widen",
    step: { kind: "property", name },
    keyword: "required",
    before: "required",
    after: "optional",
    witness: () => without(pair, pair.next, name),
  };
}

/** Patterns, and the names that nothing else covers. */
function compareOthers({ old, next }: ObjectPair): PairResult {
  const result: PairResult = { findings: [], edges: [] };
  const patterns = [old, next].flatMap(({ shape }) =>
    shape.rules.flatMap((rule) => rule.patterns.map(({ source }) => source)),
  );
  for (const source of new Set(patterns)) {
    const [before, after] = [schemaOfPattern(old.shape, source), schemaOfPattern(next.shape, source)];
    result.edges.push({ old: before, new: after, step: { kind: "pattern", source }, pass: ALL });
  }
  const texts = {
    before: old.closed ? "no other names" : "other names",
    after: next.closed ? "no other names" : "other names",
  };
  const keyword = "additionalProperties";
  if (old.closed === next.closed) {
    if (!old.closed)
      result.edges.push({ old: old.others, new: next.others, step: { kind: "others" }, pass: ALL });
  } else if (next.closed) {
    const witness = () => withOther(old);
    result.findings.push({
      kind: "additional-properties-closed",
      effect: "narrow",
      keyword,
      ...texts,
      witness,
    });
  } else {
    const levels = { response: "maybe" as const };
    const witness = () => withOther(next);
    result.findings.push({
      kind: "additional-properties-opened",
      effect: "widen",
      keyword,
      ...texts,
      levels,
      witness,
    });
  }
  return result;

  function withOther(side: ObjectSide): JsonValue | undefined {
    return side.others.length > 0 ? undefined : { other: "a" };
  }
}

function compareSizes(context: SchemaContext, old: Shape, next: Shape): Finding[] {
  const object = (limit: number): JsonValue | undefined => {
    const valid = limit > (old.maxProperties ?? Infinity) || limit < old.minProperties ? next : old;
    return sampleObject(context, { ...valid, minProperties: Math.max(0, limit) }, {});
  };
  // Names that must be there are that many properties.
  const isImplied =
    old.minProperties < next.minProperties
      ? next.minProperties <= old.required.size
      : old.minProperties <= next.required.size;
  return [
    ...(isImplied
      ? []
      : compareLimit({
          name: "min-properties",
          keyword: "minProperties",
          side: "lower",
          old: positive(old.minProperties),
          new: positive(next.minProperties),
          witness: object,
        })),
    ...compareLimit({
      name: "max-properties",
      keyword: "maxProperties",
      side: "upper",
      old: old.maxProperties,
      new: next.maxProperties,
      witness: object,
    }),
  ];
}

function comparePropertyNames(old: Shape, next: Shape): PairResult {
  if (old.propertyNames.length === 0 && next.propertyNames.length === 0) return { findings: [], edges: [] };
  const texts = (schema: Conjunction) => [STRING, ...schema];
  const edge = {
    old: texts(old.propertyNames),
    new: texts(next.propertyNames),
    step: { kind: "names" as const },
    pass: ALL,
  };
  return { findings: [], edges: [edge] };
}

function without({ context }: ObjectPair, side: ObjectSide, name: string): JsonObject | undefined {
  const found = sampleObject(context, { ...side.shape, required: side.required }, {});
  if (found === undefined || side.required.has(name)) return undefined;
  return Object.fromEntries(Object.entries(found).filter(([key]) => key !== name));
}

function withProperty({ context }: ObjectPair, side: ObjectSide, name: string): JsonValue | undefined {
  const required = new Set([...side.required, name]);
  return sampleShape(context, { ...side.shape, required }, { type: "object" });
}
