import { ownValue } from "@waymark/openapi/json.ts";
import type { JsonValue } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { parseCondition } from "../criteria/parse-condition.ts";
import { parseCriterion } from "../criteria/parse-criterion.ts";
import { Criterion } from "../document/criteria.ts";
import { sentence } from "../document/problem.ts";
import { placedItems, reportDuplicates } from "./context.ts";
import type { Placed, RuleContext } from "./context.ts";

/** The criteria of a step or an action are valid, and their `x-id`s are unique. */
export function criteriaRules(context: RuleContext, { value, pointer }: Placed, list: string): void {
  const criteria = placedItems(value, list, pointer);
  reportDuplicates(context, criteria, "x-id", "criteria");
  for (const criterion of criteria) {
    const source = Criterion.safeParse(criterion.value);
    // An invalid structure is reported already.
    const parsed = source.success ? parseCriterion(source.data) : undefined;
    if (parsed?.ok !== false) continue;
    const at = childPointer(criterion.pointer, parsed.field);
    context.report(at, "invalid-condition", sentence(parsed.message));
  }
}

/** A simple condition of an extension, such as `when` of a teardown. */
export function conditionRule(
  { report }: RuleContext,
  holder: JsonValue | undefined,
  key: string,
  pointer: Pointer,
): void {
  const text = ownValue(holder, key);
  const parsed = typeof text === "string" && text !== "" ? parseCondition(text) : undefined;
  if (parsed?.ok !== false) return;
  const message = sentence(`${parsed.message} (at character ${parsed.offset + 1})`);
  report(childPointer(pointer, key), "invalid-condition", message);
}
