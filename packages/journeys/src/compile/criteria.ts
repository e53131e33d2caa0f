import type { Criterion as CriterionSource } from "../document/criteria.ts";
import type { Condition, Criterion } from "../criteria/ast.ts";
import { parseCondition } from "../criteria/parse-condition.ts";
import { parseCriterion } from "../criteria/parse-criterion.ts";
import { report, sentence } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";

const UNUSABLE: Criterion = {
  type: "simple",
  text: "false",
  condition: { op: "value", of: { literal: false, text: "false" } },
};

/** Compiles a list of criteria; ids that stand twice are reported. */
export function compileCriteria(
  unit: Unit,
  path: Path,
  list: readonly CriterionSource[] | undefined,
): Criterion[] {
  const seen = new Set<string>();
  const compiled: Criterion[] = [];
  for (const [index, source] of (list ?? []).entries()) {
    const id = source["x-id"];
    if (id !== undefined && seen.has(id)) {
      report(unit, [...path, index, "x-id"], {
        code: "duplicate-id",
        message: `Two criteria of this step have the x-id "${id}": rename one.`,
      });
    }
    if (id !== undefined) seen.add(id);
    const result = parseCriterion(source);
    if (result.ok) compiled.push(result.criterion);
    else {
      // Something stands in its place, so that those after it keep their index and with it their line.
      compiled.push(UNUSABLE);
      report(unit, [...path, index, result.field], {
        code: "invalid-condition",
        message: sentence(result.message),
      });
    }
  }
  return compiled;
}

/** Compiles a simple condition of an extension, such as `when` of a teardown. */
export function compileCondition(
  unit: Unit,
  path: Path,
  text: string,
): { text: string; condition: Condition } | undefined {
  const parsed = parseCondition(text);
  if (parsed.ok) return { text, condition: parsed.condition };
  report(unit, path, {
    code: "invalid-condition",
    message: sentence(`${parsed.message} (at character ${parsed.offset + 1})`),
  });
  return undefined;
}
