import { isObject, ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { VariableGenerator } from "../document/extensions.ts";
import { placedItems, reportDuplicates } from "./context.ts";
import type { LintContext, Placed } from "./context.ts";
import { cyclic } from "./cycles.ts";
import { headerRules } from "./header-rules.ts";
import { actionRules, componentReferences, workflowReference } from "./reference-rules.ts";
import { parameterRules, stepRules } from "./step-rules.ts";

/** Rules of one workflow and everything in it. */
export function workflowRules(context: LintContext, { value: workflow, pointer }: Placed): void {
  const steps = placedItems(workflow, "steps", pointer);
  const ids = new Set(steps.flatMap(({ value }) => ownString(value, "stepId") ?? []));
  reportDuplicates(context, steps, "stepId", "step");
  for (const step of steps) stepRules(context, step, ids);
  for (const holder of [...steps, { value: workflow, pointer }])
    headerRules(context, holder.value, holder.pointer);
  parameterRules(
    context,
    workflow,
    pointer,
    steps.some(({ value }) => ownString(value, "workflowId") === undefined),
  );
  for (const list of ["successActions", "failureActions"]) {
    actionRules(context, placedItems(workflow, list, pointer), ids);
  }
  componentReferences(context, workflow, pointer);
  for (const [index, id] of ownArray(workflow, "dependsOn").entries()) {
    if (typeof id === "string") workflowReference(context, id, `${pointer}/dependsOn/${index}`);
  }
  stepCycles(context, workflow, pointer);
  const extension = ownObject(workflow, "x-journey");
  if (extension === undefined) return;
  const at = childPointer(pointer, "x-journey");
  acceptanceRules(context, extension, at, steps);
  teardownRules(context, extension, at, ids);
  secretRules(context, extension, at, ownObject(workflow, "inputs"));
  variableRules(context, extension, at);
}

function stepCycles(context: LintContext, workflow: JsonObject, pointer: Pointer): void {
  const dependencies = new Map<string, string[]>();
  const steps = placedItems(workflow, "steps", pointer);
  for (const { value } of steps) {
    const id = ownString(value, "stepId");
    if (id !== undefined)
      dependencies.set(
        id,
        texts(value, "dependsOn").filter((other) => other !== id),
      );
  }
  const onCycle = cyclic(dependencies);
  for (const { value, pointer: at } of steps) {
    const id = ownString(value, "stepId");
    if (id === undefined || !onCycle.has(id)) continue;
    context.report(
      "error",
      "dependency-cycle",
      `The step ${id} depends on itself in the end.`,
      `${at}/dependsOn`,
    );
  }
}

function texts(holder: JsonObject | undefined, key: string): string[] {
  return ownArray(holder, key).filter((item) => typeof item === "string");
}

/** Workflows that wait for each other. */
export function workflowCycles(context: LintContext): void {
  const onCycle = cyclic(
    new Map([...context.workflows].map(([id, workflow]) => [id, texts(workflow, "dependsOn")])),
  );
  for (const { value, pointer } of placedItems(context.root, "workflows", "")) {
    const id = ownString(value, "workflowId");
    if (id === undefined || !onCycle.has(id)) continue;
    const message = `The workflow ${id} depends on itself in the end.`;
    context.report("error", "dependency-cycle", message, `${pointer}/dependsOn`);
  }
}

/** `provenBy` names a criterion that is there: a criterion without x-id can't be named. */
function acceptanceRules(
  context: LintContext,
  extension: JsonObject,
  pointer: Pointer,
  steps: readonly Placed[],
): void {
  const criteria = placedItems(extension, "acceptanceCriteria", pointer);
  reportDuplicates(context, criteria, "id", "acceptance criterion");
  const named = new Map<string, Set<string>>();
  for (const { value } of steps) {
    const id = ownString(value, "stepId") ?? "";
    named.set(id, new Set([...(named.get(id) ?? []), ...criterionIds(value)]));
  }
  for (const { value, pointer: at } of criteria) {
    for (const [index, reference] of ownArray(value, "provenBy").entries()) {
      if (typeof reference !== "string") continue;
      const [stepId = "", criterionId = ""] = reference.split("#");
      const ids = named.get(stepId);
      const place = `${at}/provenBy/${index}`;
      if (ids === undefined) {
        context.report(
          "error",
          "unknown-criterion",
          `provenBy names the step ${stepId}, which isn't there.`,
          place,
        );
      } else if (!ids.has(criterionId)) {
        const message = `The step ${stepId} has no criterion with x-id: ${criterionId}; add the x-id to the one that proves it.`;
        context.report("error", "unknown-criterion", message, place);
      }
    }
  }
}

function criterionIds(step: JsonObject): Set<string> {
  return new Set(
    ownArray(step, "successCriteria").flatMap((criterion) => ownString(criterion, "x-id") ?? []),
  );
}

function teardownRules(
  { report }: LintContext,
  extension: JsonObject,
  pointer: Pointer,
  ids: ReadonlySet<string>,
): void {
  for (const { value, pointer: at } of placedItems(extension, "teardown", pointer)) {
    const id = ownString(value, "step");
    if (id === undefined || ids.has(id)) continue;
    report(
      "error",
      "unknown-step",
      `teardown names the step ${id}, which isn't there.`,
      childPointer(at, "step"),
    );
  }
}

function secretRules(
  context: LintContext,
  extension: JsonObject,
  pointer: Pointer,
  inputs: JsonObject | undefined,
): void {
  const properties = ownObject(inputs, "properties");
  const at = childPointer(pointer, "secrets");
  for (const name of Object.keys(ownObject(extension, "secrets") ?? {})) {
    const schema = ownValue(properties, name);
    if (schema === undefined && inputs !== undefined && !Object.hasOwn(inputs, "$ref")) {
      context.report(
        "error",
        "unknown-input",
        `The secret ${name} is no input; declare it in inputs.properties.`,
        childPointer(at, name),
      );
    }
    for (const field of ["default", "const", "enum", "example", "examples"]) {
      if (!isObject(schema) || !Object.hasOwn(schema, field)) continue;
      const message = `The secret ${name} has its value in the document; remove ${field}.`;
      const place = childPointer(
        childPointer(pointer.replace(/\/x-journey$/, "/inputs/properties"), name),
        field,
      );
      context.report("error", "secret-literal", message, place);
    }
  }
}

function variableRules({ report }: LintContext, extension: JsonObject, pointer: Pointer): void {
  const at = childPointer(pointer, "vars");
  for (const [name, value] of Object.entries(ownObject(extension, "vars") ?? {})) {
    const place = childPointer(at, name);
    if (!/^[A-Za-z0-9_-]+$/.test(name)) {
      report("error", "variable", `The variable ${name} should be letters, digits, '-' and '_'.`, place);
    }
    if (!isObject(value) || !Object.hasOwn(value, "generate")) continue;
    const generator = VariableGenerator.safeParse(value);
    if (!generator.success) {
      report(
        "error",
        "variable",
        "The generator isn't one of uuid, integer, string, email, date-time with their fields.",
        place,
      );
    } else if ((generator.data.min ?? 0) > (generator.data.max ?? Number.MAX_SAFE_INTEGER)) {
      report("error", "variable", "min is greater than max.", place);
    }
  }
}
