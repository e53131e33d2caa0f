import { ownString } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { placedItems } from "./context.ts";
import type { Placed, RuleContext } from "./context.ts";
import { criteriaRules } from "./criteria-rules.ts";
import { parameterRules } from "./parameter-rules.ts";
import { resolveReusable, workflowReference } from "./references.ts";

/** Lists of actions, and the kind of component that they may refer to. */
const KINDS = {
  onSuccess: "successActions",
  onFailure: "failureActions",
  successActions: "successActions",
  failureActions: "failureActions",
} as const;

/** The actions of a step or workflow. `steps` are the ids of its workflow. */
export function actionRules(context: RuleContext, holder: Placed, steps: ReadonlySet<string>): void {
  for (const [list, kind] of Object.entries(KINDS)) {
    const seen = new Set<string>();
    for (const item of placedItems(holder.value, list, holder.pointer)) {
      const isOwn = !Object.hasOwn(item.value, "reference");
      const action = resolveReusable(context, item, kind);
      if (action === undefined) continue;
      if (isOwn) actionContent(context, item);
      else ignored(context, item, ["value"], "A value has a meaning for a parameter only.");
      const { pointer } = item;
      const stepId = ownString(action, "stepId");
      if (stepId !== undefined && !steps.has(stepId)) {
        const message = `There is no step "${stepId}" in this workflow.`;
        context.report(childPointer(pointer, isOwn ? "stepId" : "reference"), "unknown-step", message);
      }
      const name = ownString(action, "name");
      if (name === undefined) continue;
      if (seen.has(name))
        context.report(pointer, "duplicate-id", `Two actions are named "${name}": rename one.`);
      seen.add(name);
    }
  }
}

/** The fields of an action, in a list or in components. */
export function actionContent(context: RuleContext, { value, pointer }: Placed): void {
  const { report } = context;
  const type = ownString(value, "type");
  const workflowId = ownString(value, "workflowId");
  const isAimed = workflowId !== undefined || ownString(value, "stepId") !== undefined;
  if (workflowId !== undefined && ownString(value, "stepId") !== undefined) {
    report(pointer, "action-target", "An action goes to a step or to a workflow, not to both: keep one.");
  }
  if (type === "goto" && !isAimed) {
    report(pointer, "action-target", "Say where the action goes: a stepId or a workflowId.");
  }
  if (workflowId !== undefined) workflowReference(context, workflowId, childPointer(pointer, "workflowId"));
  const action = { value, pointer };
  if (type === "end")
    ignored(context, action, ["stepId", "workflowId"], "An action of type end goes nowhere.");
  if (workflowId === undefined)
    ignored(context, action, ["parameters"], "Parameters are passed to a workflow, and none is named.");
  if (type !== undefined && type !== "retry")
    ignored(context, action, ["retryAfter", "retryLimit"], "It has a meaning for the type retry only.");
  parameterRules(context, action, "workflow");
  for (const parameter of placedItems(value, "parameters", pointer)) locationRule(context, parameter);
  criteriaRules(context, action, "criteria");
}

function locationRule({ report }: RuleContext, { value, pointer }: Placed): void {
  if (!Object.hasOwn(value, "in") || Object.hasOwn(value, "reference")) return;
  const message = `"${ownString(value, "name") ?? ""}" is an input of a workflow: remove its in.`;
  report(childPointer(pointer, "in"), "parameter-location", message);
}

function ignored(
  { report }: RuleContext,
  { value, pointer }: { value: Placed["value"]; pointer: Pointer },
  fields: readonly string[],
  why: string,
): void {
  for (const field of fields) {
    if (!Object.hasOwn(value, field)) continue;
    report(childPointer(pointer, field), "ignored-field", `${field} is ignored. ${why}`, "warning");
  }
}
