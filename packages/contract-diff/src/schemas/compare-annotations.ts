import type { JsonValue } from "@waymark/openapi/json.ts";
import type { Conjunction } from "../read/node.ts";
import { listed } from "./listed.ts";
import type { Finding } from "./pair-result.ts";
import { canonicalText, type Shape } from "./shape.ts";
import { exactText, show } from "./compare-scalars.ts";

/** A named part of an `allOf` that goes, while the others stay, is a base class less in generated code. */
export function comparePartsOfAllOf(old: Conjunction, next: Conjunction): Finding[] {
  const [before, after] = [partNames(old), partNames(next)];
  const gone = before.filter((name) => !after.includes(name));
  if (gone.length === 0 || after.length === 0 || after.some((name) => !before.includes(name))) return [];
  return [
    {
      kind: "all-of-part-removed",
      effect: "unknown",
      levels: { request: "safe", response: "maybe" },
      keyword: "allOf",
      before: gone.join(", "),
      oldNode: old[0],
      newNode: next[0],
    },
  ];
}

function partNames(conjunction: Conjunction): string[] {
  return conjunction.flatMap((node) => listed(node, "allOf").flatMap(({ name }) => name ?? []));
}

/** Compares what changes no value but its meaning: defaults, and lists of values that are open. */
export function compareAnnotations(before: readonly Shape[], after: readonly Shape[]): Finding[] {
  return [...compareDefaults(before, after), ...compareExtensible(before, after)];
}

function compareDefaults(before: readonly Shape[], after: readonly Shape[]): Finding[] {
  const [old, next] = [defaultOf(before), defaultOf(after)];
  const [oldText, newText] = [old, next].map((value) =>
    value === undefined ? undefined : canonicalText(value),
  );
  if (oldText === newText) return [];
  const change = old === undefined ? "added" : next === undefined ? "removed" : "changed";
  return [
    {
      kind: `default-${change}`,
      effect: "unknown",
      levels: { request: "maybe", response: "safe" },
      keyword: "default",
      before: oldText === undefined ? undefined : `default: ${oldText}`,
      after: newText === undefined ? undefined : `default: ${newText}`,
      oldNode: holder(before),
      newNode: holder(after),
    },
  ];
}

function defaultOf(shapes: readonly Shape[]): JsonValue | undefined {
  return shapes.map(({ annotations }) => annotations.default).find((value) => value !== undefined);
}

function holder(shapes: readonly Shape[]) {
  const nodes = shapes.flatMap(({ origin }) => origin);
  return (
    nodes.find(
      ({ value }) => typeof value === "object" && value !== null && Object.hasOwn(value, "default"),
    ) ?? nodes[0]
  );
}

function compareExtensible(before: readonly Shape[], after: readonly Shape[]): Finding[] {
  const [old, next] = [before, after].map((shapes) =>
    shapes.map((each) => each.annotations.extensible).find(Boolean),
  );
  if (old === undefined || next === undefined) return [];
  const left = new Set(next.map(canonicalText));
  const gone = old.filter((value) => !left.has(canonicalText(value)));
  if (gone.length === 0) return [];
  return [
    {
      kind: "extensible-enum-value-removed",
      effect: "unknown",
      levels: { request: "maybe", response: "safe" },
      keyword: "x-extensible-enum",
      before: show(gone),
      exact: exactText(gone),
      oldNode: before[0]?.origin.at(-1),
      newNode: after[0]?.origin.at(-1),
    },
  ];
}
