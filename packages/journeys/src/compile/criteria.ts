import type { Criterion as CriterionSource } from "../document/criteria.ts";
import type { Condition, Criterion } from "../criteria/ast.ts";
import { parseCondition } from "../criteria/parse-condition.ts";
import { parseCriterion } from "../criteria/parse-criterion.ts";

/** A placeholder for an invalid criterion, so that the following criteria keep their index and with it their line. */
const UNUSABLE: Criterion = {
  type: "simple",
  text: "false",
  condition: { op: "value", of: { literal: false, text: "false" } },
};

export function compileCriteria(list: readonly CriterionSource[] | undefined): Criterion[] {
  return (list ?? []).map((source) => {
    const result = parseCriterion(source);
    return result.ok ? result.criterion : UNUSABLE;
  });
}

/** Compiles a simple condition of an extension, such as `when` of a teardown. */
export function compileCondition(text: string): { text: string; condition: Condition } | undefined {
  const parsed = parseCondition(text);
  return parsed.ok ? { text, condition: parsed.condition } : undefined;
}
