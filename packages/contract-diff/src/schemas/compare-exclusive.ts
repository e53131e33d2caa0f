import type { JsonValue } from "@waymark/openapi/json.ts";
import type { Conjunction } from "../read/node.ts";
import { accepts } from "./accepts.ts";
import type { SchemaContext } from "./context.ts";
import type { Finding } from "./pair-result.ts";
import { sample } from "./sample.ts";

const ALTERNATIVES_MAX = 20;

/** Finds values that match two alternatives of a new `oneOf`, which allows only those that match one. */
export function compareExclusive(context: SchemaContext, old: Conjunction, next: Conjunction): Finding[] {
  // Where alternatives overlap already, nobody can mean it exactly.
  if (matchesTwo(context, old)) return [];
  const narrowed = overlapping(context, next, old);
  if (narrowed === undefined) return [];
  return [{ kind: "alternatives-overlap", effect: "narrow", keyword: "oneOf", witness: () => narrowed }];
}

/** True if a sample of an alternative matches another one as well. */
function matchesTwo(context: SchemaContext, side: Conjunction): boolean {
  return context.expand(side).exclusive.some((alternatives) =>
    alternatives.slice(0, ALTERNATIVES_MAX).some((alternative) => {
      const value = sample(context, alternative);
      return (
        value !== undefined &&
        alternatives.filter((each) => accepts(context, each, value) === true).length > 1
      );
    }),
  );
}

/** A value that matches several alternatives of one side, and that the other side allows. */
function overlapping(context: SchemaContext, side: Conjunction, other: Conjunction): JsonValue | undefined {
  const { exclusive } = context.expand(side);
  for (const alternatives of exclusive) {
    if (alternatives.length > ALTERNATIVES_MAX) continue;
    for (const alternative of alternatives) {
      for (const fullness of ["required", "all"] as const) {
        const value = sample(context, alternative, fullness);
        if (value === undefined || accepts(context, side, value) !== false) continue;
        const count = alternatives.filter((each) => accepts(context, each, value) === true).length;
        if (count > 1 && accepts(context, other, value) === true) return value;
      }
    }
  }
  return undefined;
}
