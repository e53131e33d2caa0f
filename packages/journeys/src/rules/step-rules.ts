import { ownObject, ownString } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import { actionRules } from "./action-rules.ts";
import { placedTexts } from "./context.ts";
import type { Placed, RuleContext } from "./context.ts";
import { conditionRule, criteriaRules } from "./criteria-rules.ts";
import { expressionTextRules } from "./expression-text-rules.ts";
import { parameterRules } from "./parameter-rules.ts";
import type { ParameterReceiver } from "./parameter-rules.ts";
import {
  parseOperationPath,
  parseScopedName,
  parseScopedStep,
  sourceReference,
  workflowReference,
} from "./references.ts";

const CALLS = ["operationId", "operationPath", "workflowId", "channelPath", "x-operation"];

/** Rules of one step. `steps` are the ids of its workflow. */
export function stepRules(context: RuleContext, placed: Placed, steps: ReadonlySet<string>): void {
  const { value: step, pointer } = placed;
  targetRules(context, placed);
  parameterRules(context, placed, receiverOf(step));
  expressionTextRules(context, placed);
  criteriaRules(context, placed, "successCriteria");
  actionRules(context, placed, steps);
  dependencyRules(context, placed, steps);
  const at = `${pointer}/x-journey/poll`;
  const poll = ownObject(ownObject(step, "x-journey"), "poll");
  conditionRule(context, poll, "until", at);
  conditionRule(context, poll, "failWhen", at);
  if (poll !== undefined && Number(poll["maxMs"]) < Number(poll["everyMs"])) {
    context.report(at, "poll", "maxMs is shorter than everyMs: nothing would be polled.");
  }
}

export function receiverOf(step: JsonObject): ParameterReceiver {
  if (Object.hasOwn(step, "workflowId")) return "workflow";
  return Object.hasOwn(step, "channelPath") ? "channel" : "operation";
}

function targetRules(context: RuleContext, { value: step, pointer }: Placed): void {
  const calls = CALLS.filter((field) => Object.hasOwn(step, field));
  if (calls.length === 0) {
    const message =
      "The step calls nothing: give it an operationId, operationPath, workflowId or x-operation.";
    context.report(pointer, "step-target", message);
  } else if (calls.length > 1) {
    context.report(pointer, "step-target", `The step has ${calls.join(" and ")}: keep one of them.`);
  }
  const workflowId = ownString(step, "workflowId");
  if (workflowId !== undefined) workflowReference(context, workflowId, childPointer(pointer, "workflowId"));
  operationReference(context, step, pointer);
}

function operationReference(context: RuleContext, step: JsonObject, pointer: string): void {
  const operationId = ownString(step, "operationId");
  if (operationId !== undefined) {
    const at = childPointer(pointer, "operationId");
    const named = parseScopedName(operationId);
    if (named === undefined) {
      const message = "An operationId is a name or $sourceDescriptions.<name>.<operationId>.";
      context.report(at, "invalid-expression", message);
    } else if (named.source !== undefined) sourceReference(context, named.source, at);
  }
  const operationPath = ownString(step, "operationPath");
  if (operationPath === undefined) return;
  const at = childPointer(pointer, "operationPath");
  const source = parseOperationPath(operationPath)?.source;
  if (source !== undefined) return sourceReference(context, source, at);
  const message = "An operationPath is written '{$sourceDescriptions.<name>.url}#/paths/~1items/get'.";
  context.report(at, "invalid-operation-path", message);
}

/** Steps of other documents are checked by the compiler, which has read them. */
function dependencyRules(
  { stepIds, report }: RuleContext,
  { value, pointer }: Placed,
  steps: ReadonlySet<string>,
): void {
  for (const { text, at } of placedTexts(value, "dependsOn", pointer)) {
    const scoped = parseScopedStep(text);
    if (scoped === undefined) {
      if (!steps.has(text)) report(at, "unknown-step", `There is no step "${text}" in this workflow.`);
    } else if (scoped.source === undefined && stepIds.get(scoped.workflow)?.has(scoped.step) !== true) {
      report(at, "unknown-step", `There is no step "${text}".`);
    }
  }
}
