import { isObject, ownObject, ownString } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import { VariableGenerator } from "../document/extensions.ts";
import { actionRules } from "./action-rules.ts";
import { idsOf, placedItems, placedTexts, reportDuplicates } from "./context.ts";
import type { Placed, RuleContext } from "./context.ts";
import { conditionRule } from "./criteria-rules.ts";
import { reportCycles } from "./document-rules.ts";
import { expressionTextRules } from "./expression-text-rules.ts";
import { inputRules } from "./input-rules.ts";
import { parameterRules, queryRules } from "./parameter-rules.ts";
import { workflowReference } from "./references.ts";
import { receiverOf, stepRules } from "./step-rules.ts";

/** Rules of one workflow and everything in it. */
export function workflowRules(context: RuleContext, workflow: Placed): void {
  const { value, pointer } = workflow;
  const steps = placedItems(value, "steps", pointer);
  const ids = idsOf(
    steps.map((step) => step.value),
    "stepId",
  );
  reportDuplicates(context, steps, "stepId", "steps");
  reportCycles(context, steps, "stepId", "steps");
  for (const step of steps) {
    stepRules(context, step, ids);
    if (receiverOf(step.value) === "operation") queryRules(context, step, workflow);
    secretOutputs(context, step);
  }
  const receivers = new Set(steps.map((step) => receiverOf(step.value)));
  // A workflow's parameters apply to all of its steps; those that call operations need the location.
  const callsOperations = receivers.has("operation") || receivers.size === 0;
  parameterRules(context, workflow, callsOperations ? "operation" : "channel");
  expressionTextRules(context, workflow);
  actionRules(context, workflow, ids);
  inputRules(context, workflow);
  for (const { text, at } of placedTexts(value, "dependsOn", pointer)) workflowReference(context, text, at);
  secretOutputs(context, workflow);
  const extension = ownObject(value, "x-journey");
  if (extension === undefined) return;
  const placed = { value: extension, pointer: childPointer(pointer, "x-journey") };
  acceptanceRules(context, placed, steps);
  teardownRules(context, placed, ids);
  variableRules(context, placed);
}

/** `provenBy` names an existing criterion; only criteria with an x-id can be named. */
function acceptanceRules(context: RuleContext, extension: Placed, steps: readonly Placed[]): void {
  const acceptance = placedItems(extension.value, "acceptanceCriteria", extension.pointer);
  reportDuplicates(context, acceptance, "id", "acceptance criteria");
  const named = new Set(
    steps.flatMap(({ value, pointer }) =>
      placedItems(value, "successCriteria", pointer).map(
        (criterion) => `${ownString(value, "stepId")}#${ownString(criterion.value, "x-id")}`,
      ),
    ),
  );
  for (const { value, pointer } of acceptance) {
    for (const { text, at } of placedTexts(value, "provenBy", pointer)) {
      if (named.has(text)) continue;
      const [step = "", id = ""] = text.split("#");
      const message = `"${text}" names no criterion: step "${step}" needs a success criterion with x-id: ${id}.`;
      context.report(at, "unknown-criterion", message);
    }
  }
}

function teardownRules(context: RuleContext, extension: Placed, ids: ReadonlySet<string>): void {
  for (const { value, pointer } of placedItems(extension.value, "teardown", extension.pointer)) {
    const id = ownString(value, "step");
    if (id !== undefined && !ids.has(id)) {
      const message = `There is no step "${id}" in this workflow.`;
      context.report(childPointer(pointer, "step"), "unknown-step", message);
    }
    conditionRule(context, value, "when", pointer);
  }
}

/** An unknown name is an error, because nothing would be redacted. */
function secretOutputs({ report }: RuleContext, { value, pointer }: Placed): void {
  const outputs = ownObject(value, "outputs") ?? {};
  const extension = ownObject(value, "x-journey");
  for (const { text, at } of placedTexts(extension, "secretOutputs", childPointer(pointer, "x-journey"))) {
    if (Object.hasOwn(outputs, text)) continue;
    const names = Object.keys(outputs).join(", ") || "none";
    report(at, "unknown-output", `There is no output "${text}" here (there is ${names}).`);
  }
}

function variableRules({ report }: RuleContext, extension: Placed): void {
  const list = childPointer(extension.pointer, "vars");
  for (const [name, value] of Object.entries(ownObject(extension.value, "vars") ?? {})) {
    const at = childPointer(list, name);
    if (!/^[A-Za-z0-9_-]+$/.test(name)) {
      report(at, "variable", `The variable "${name}" should be letters, digits, "-" and "_".`);
    }
    if (!isObject(value) || !Object.hasOwn(value, "generate")) continue;
    const generator = VariableGenerator.safeParse(value);
    if (!generator.success) {
      const message = "The generator isn't one of uuid, integer, string, email, date-time with their fields.";
      report(at, "variable", message);
    } else if ((generator.data.min ?? 0) > (generator.data.max ?? Number.MAX_SAFE_INTEGER)) {
      report(at, "variable", "min is greater than max.");
    }
  }
}
