import { ownArray, ownObject, ownString } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import { actionContent } from "./action-rules.ts";
import { placedItems, placedMembers, reportDuplicates } from "./context.ts";
import type { Placed, RuleContext } from "./context.ts";
import { cycleText, sortByDependencies } from "./dependencies.ts";

const ID = /^[A-Za-z0-9_-]+$/;

/** Ids and sources of the document as a whole. */
export function documentRules(context: RuleContext): void {
  const { root, report } = context;
  const workflows = placedItems(root, "workflows", "");
  reportDuplicates(context, workflows, "workflowId", "workflows");
  const sources = placedItems(root, "sourceDescriptions", "");
  reportDuplicates(context, sources, "name", "sources");
  for (const item of sources) idRule(context, item, "name");
  const steps = workflows.flatMap(({ value, pointer }) => placedItems(value, "steps", pointer));
  for (const item of workflows) idRule(context, item, "workflowId");
  for (const item of steps) idRule(context, item, "stepId");
  const needsSource = steps.some(
    ({ value }) => Object.hasOwn(value, "operationId") || Object.hasOwn(value, "operationPath"),
  );
  if (needsSource && ownArray(root, "sourceDescriptions").length === 0) {
    const message = "A step calls an operation, but there is no source to look it up in: add one.";
    report("/sourceDescriptions", "no-source", message);
  }
  reportCycles(context, workflows, "workflowId", "workflows");
  if (context.minor === 0) newerFields(context, steps);
}

function idRule({ report }: RuleContext, { value, pointer }: Placed, key: string): void {
  const id = ownString(value, key);
  if (id === undefined || id === "" || ID.test(id)) return;
  const message = `"${id}" should be letters, digits, "-" and "_": expressions can't name it otherwise.`;
  report(childPointer(pointer, key), "id-characters", message, "warning");
}

/** Reports each cycle of dependencies at its first item. */
export function reportCycles(
  { report }: RuleContext,
  items: readonly Placed[],
  key: string,
  things: string,
): void {
  const nodes = items.map(({ value, pointer }) => ({
    id: ownString(value, key) ?? "",
    dependsOn: ownArray(value, "dependsOn").filter((id) => typeof id === "string"),
    pointer,
  }));
  for (const cycle of sortByDependencies(nodes).cycles) {
    const first = nodes.findLast(({ id }) => id === cycle[0]);
    const message = `These ${things} wait for each other: ${cycleText(cycle)}.`;
    report(`${first?.pointer}/dependsOn`, "circular-dependency", message);
  }
}

/** Other tools refuse a 1.0 document with fields of 1.1. */
function newerFields({ root, report }: RuleContext, steps: readonly Placed[]): void {
  const since = (field: string, pointer: string): void => {
    report(pointer, "needs-arazzo-1.1", `${field} exists since Arazzo 1.1: set arazzo: 1.1.0.`);
  };
  if (Object.hasOwn(root, "$self")) since("$self", "/$self");
  for (const { value, pointer } of placedItems(root, "sourceDescriptions", "")) {
    if (ownString(value, "type") === "asyncapi") since("The type asyncapi", childPointer(pointer, "type"));
  }
  for (const { value, pointer } of steps) {
    for (const field of ["timeout", "dependsOn", "channelPath", "action", "correlationId"]) {
      if (Object.hasOwn(value, field)) since(field, childPointer(pointer, field));
    }
    for (const parameter of placedItems(value, "parameters", pointer)) {
      if (ownString(parameter.value, "in") === "querystring")
        since("querystring", childPointer(parameter.pointer, "in"));
    }
    for (const output of placedMembers(value, "outputs", pointer)) since("A selector object", output.pointer);
  }
}

/** Actions in components are checked once, where they are defined. */
export function componentRules(context: RuleContext): void {
  const components = ownObject(context.root, "components");
  for (const kind of ["successActions", "failureActions"]) {
    for (const action of placedMembers(components, kind, "/components")) actionContent(context, action);
  }
}
