import { isObject, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { parseExpression } from "../expressions/parse.ts";
import { placedItems, placedMembers } from "./context.ts";
import type { LintContext, Placed } from "./context.ts";

/** Lists whose items may point into components, and the kind of component that fits. */
const REUSABLE_LISTS = {
  parameters: "parameters",
  onSuccess: "successActions",
  onFailure: "failureActions",
  successActions: "successActions",
  failureActions: "failureActions",
} as const;

/** References into components name one that is there and of the right kind. */
export function componentReferences(context: LintContext, holder: JsonObject, pointer: Pointer): void {
  for (const [list, kind] of Object.entries(REUSABLE_LISTS)) {
    for (const item of placedItems(holder, list, pointer)) checkReference(context, item, kind);
  }
}

function checkReference(context: LintContext, { value, pointer }: Placed, kind: string): void {
  const reference = ownString(value, "reference");
  if (reference === undefined) return;
  const at = childPointer(pointer, "reference");
  const match = /^\$components\.([^.]+)\.(.+)$/.exec(reference);
  if (match === null) {
    context.report(
      "error",
      parseExpression(reference).ok ? "wrong-component" : "invalid-expression",
      `${reference} is no reference into components, as in $components.${kind}.name.`,
      at,
    );
    return;
  }
  const [, group, name] = match;
  if (group !== kind) {
    context.report(
      "error",
      "wrong-component",
      `Here stands something of $components.${kind}, not of ${group}.`,
      at,
    );
  } else if (ownValue(ownObject(ownObject(context.root, "components"), kind), name ?? "") === undefined) {
    context.report("error", "unknown-component", `components has no ${group}.${name}.`, at);
  } else if (kind !== "parameters" && Object.hasOwn(value, "value")) {
    context.report(
      "error",
      "unknown-field",
      "Only a referenced parameter takes a value.",
      childPointer(pointer, "value"),
    );
  }
}

/** A workflow is in this document, or in an Arazzo source that is declared. */
export function workflowReference(context: LintContext, id: string, pointer: Pointer): void {
  if (!id.startsWith("$")) {
    if (context.workflows.has(id)) return;
    context.report("error", "unknown-workflow", `There is no workflow ${id}.`, pointer);
    return;
  }
  const source = /^\$sourceDescriptions\.([A-Za-z0-9_-]+)\../.exec(id)?.[1];
  if (source === undefined) {
    const message = "A workflow of another document is written $sourceDescriptions.<name>.<workflowId>.";
    context.report("error", "invalid-expression", message, pointer);
  } else if (!context.sources.has(source)) {
    context.report("error", "unknown-source", `There is no source ${source}.`, pointer);
  }
}

/** Rules of one list of actions: targets exist, fields fit the type. */
export function actionRules(
  context: LintContext,
  actions: readonly Placed[],
  steps: ReadonlySet<string> | undefined,
): void {
  const names = new Set<string>();
  for (const { value, pointer } of actions) {
    if (Object.hasOwn(value, "reference")) continue;
    actionTarget(context, value, pointer, steps);
    const name = ownString(value, "name");
    if (name !== undefined && names.has(name)) {
      context.report("error", "duplicate-id", `There is another action ${name} in this list.`, pointer);
    }
    if (name !== undefined) names.add(name);
    for (const criterion of placedItems(value, "criteria", pointer)) criterionRules(context, criterion);
    componentReferences(context, value, pointer);
  }
}

// oxlint-disable-next-line max-lines-per-function -- a list of independent rules
function actionTarget(
  { report, workflows, sources, ...rest }: LintContext,
  action: JsonObject,
  pointer: Pointer,
  steps: ReadonlySet<string> | undefined,
): void {
  const context = { report, workflows, sources, ...rest };
  const type = ownString(action, "type");
  const stepId = ownString(action, "stepId");
  const workflowId = ownString(action, "workflowId");
  if (stepId !== undefined && workflowId !== undefined) {
    report("error", "action-target", "An action goes to a step or to a workflow, not to both.", pointer);
  }
  if (type === "goto" && stepId === undefined && workflowId === undefined) {
    report("error", "action-target", "goto needs a stepId or a workflowId.", pointer);
  }
  if (type === "end" && (stepId !== undefined || workflowId !== undefined)) {
    report(
      "warning",
      "action-target",
      "An action of type end goes nowhere; its stepId or workflowId is ignored.",
      pointer,
    );
  }
  if (stepId !== undefined && steps !== undefined && !steps.has(stepId)) {
    report(
      "error",
      "unknown-step",
      `There is no step ${stepId} in this workflow.`,
      childPointer(pointer, "stepId"),
    );
  }
  if (workflowId !== undefined) workflowReference(context, workflowId, childPointer(pointer, "workflowId"));
  if (Object.hasOwn(action, "parameters") && workflowId === undefined) {
    report("error", "action-target", "parameters are passed to a workflow; this action names none.", pointer);
  }
  for (const field of ["retryAfter", "retryLimit"]) {
    if (type !== undefined && type !== "retry" && Object.hasOwn(action, field)) {
      report(
        "warning",
        "action-field",
        `${field} has a meaning for type retry only.`,
        childPointer(pointer, field),
      );
    }
  }
}

/** A condition that isn't simple is applied to something. */
export function criterionRules(context: LintContext, { value, pointer }: Placed): void {
  const type = criterionType(value);
  if (type !== "simple" && ownString(value, "context") === undefined) {
    const message = `A ${type} condition needs a context, for example $response.body.`;
    context.report("error", "invalid-condition", message, childPointer(pointer, "context"));
  }
  if (type === "jsonpointer") {
    const message = "A condition is simple, regex, jsonpath or xpath; jsonpointer only selects.";
    context.report("error", "invalid-condition", message, childPointer(pointer, "type"));
  }
}

function criterionType(criterion: JsonObject): string {
  const type: JsonValue | undefined = ownValue(criterion, "type");
  if (typeof type === "string") return type;
  return isObject(type) ? (ownString(type, "type") ?? "simple") : "simple";
}

/** Components are checked once, where they stand. */
export function componentRules(context: LintContext): void {
  const components = ownObject(context.root, "components");
  for (const group of ["successActions", "failureActions"]) {
    for (const action of placedMembers(components, group, "/components"))
      actionRules(context, [action], undefined);
  }
}
