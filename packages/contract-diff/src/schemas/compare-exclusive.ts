import type { JsonValue } from "@waymark/openapi/json.ts";
import type { Conjunction } from "../read/node.ts";
import { accepts } from "./accepts.ts";
import type { SchemaContext } from "./context.ts";
import type { Finding } from "./pair-result.ts";
import { sample } from "./sample.ts";

const ALTERNATIVES_MAX = 20;

/** Finds values that match two alternatives of a new `oneOf`, which allows only those that match one. */
export function compareExclusive(context: SchemaContext, old: Conjunction, next: Conjunction): Finding[] {
  // Where there is such a list already, its alternatives most often overlap, and nobody means it exactly.
  if (context.expand(next).exclusive.length === 0 || context.expand(old).exclusive.length > 0) return [];
  const narrowed = overlapping(context, next, old);
  if (narrowed === undefined) return [];
  return [{ kind: "alternatives-overlap", effect: "narrow", keyword: "oneOf", witness: () => narrowed }];
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
