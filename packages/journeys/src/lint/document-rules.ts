import { ownArray, ownString } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import { placedItems, placedMembers, reportDuplicates } from "./context.ts";
import type { LintContext } from "./context.ts";

const ID = /^[A-Za-z0-9_-]+$/;

/** Ids and sources of the document as a whole. */
export function documentRules(context: LintContext): void {
  const { root, report } = context;
  const workflows = placedItems(root, "workflows", "");
  reportDuplicates(context, workflows, "workflowId", "workflow");
  reportDuplicates(context, placedItems(root, "sourceDescriptions", ""), "name", "source");
  for (const { value, pointer } of workflows) {
    for (const step of [{ value, pointer, key: "workflowId" }, ...stepsOf(value, pointer)]) {
      const id = ownString(step.value, step.key);
      if (id !== undefined && id !== "" && !ID.test(id)) {
        const message = `The id ${id} should be letters, digits, '-' and '_'; expressions can't name it otherwise.`;
        report("warning", "id-characters", message, childPointer(step.pointer, step.key));
      }
    }
  }
  if (ownArray(root, "sourceDescriptions").length === 0 && needsSource(context)) {
    const message = "A step calls an operation, but there is no source to look it up in; add one.";
    report("error", "no-source", message, "/sourceDescriptions");
  }
  newerFields(context);
}

function stepsOf(
  workflow: Parameters<typeof placedItems>[0],
  pointer: string,
): { value: Parameters<typeof ownString>[0]; pointer: string; key: string }[] {
  return placedItems(workflow, "steps", pointer).map((step) => ({ ...step, key: "stepId" }));
}

function needsSource({ root }: LintContext): boolean {
  return placedItems(root, "workflows", "").some(({ value, pointer }) =>
    placedItems(value, "steps", pointer).some(
      ({ value: step }) => Object.hasOwn(step, "operationId") || Object.hasOwn(step, "operationPath"),
    ),
  );
}

/** A 1.0 document with fields of 1.1 says that it is something it isn't: other tools would refuse it. */
function newerFields({ root, minor, report }: LintContext): void {
  if (minor === 1) return;
  const since = (field: string, pointer: string): void => {
    report("error", "needs-arazzo-1.1", `${field} exists since Arazzo 1.1; set arazzo: 1.1.0.`, pointer);
  };
  if (Object.hasOwn(root, "$self")) since("$self", "/$self");
  for (const { value, pointer } of placedItems(root, "sourceDescriptions", "")) {
    if (ownString(value, "type") === "asyncapi") since("The type asyncapi", childPointer(pointer, "type"));
  }
  for (const { value: workflow, pointer: at } of placedItems(root, "workflows", "")) {
    for (const { value, pointer } of placedItems(workflow, "steps", at)) {
      for (const field of ["timeout", "dependsOn", "channelPath", "action", "correlationId"]) {
        if (Object.hasOwn(value, field)) since(field, childPointer(pointer, field));
      }
      for (const parameter of placedItems(value, "parameters", pointer)) {
        if (ownString(parameter.value, "in") === "querystring") {
          since("querystring", childPointer(parameter.pointer, "in"));
        }
      }
      for (const output of placedMembers(value, "outputs", pointer))
        since("A selector object", output.pointer);
    }
  }
}
