import { isObject, ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";

/**
 * Converts a document from Arazzo 1.1 to 1.0. Features of 1.1 are converted if 1.0 has an equivalent; others are removed and
 * noted.
 */
export function asArazzo10(root: JsonObject, notes: Set<string>): JsonObject {
  const { $self: self, ...rest } = root;
  if (self !== undefined) notes.add("$self was left out: Arazzo 1.0 has none.");
  const components = ownObject(root, "components");
  const lowered: JsonObject = {
    ...rest,
    arazzo: "1.0.1",
    workflows: ownArray(root, "workflows").map((workflow) => workflowIn10(workflow, notes)),
  };
  if (components !== undefined) {
    lowered["components"] = Object.fromEntries(
      Object.entries(components).map(([key, group]) => [
        key,
        isObject(group) && key.endsWith("Actions")
          ? Object.fromEntries(
              Object.entries(group).map(([name, action]) => [name, actionIn10(action, notes)]),
            )
          : group,
      ]),
    );
  }
  return lowered;
}

function workflowIn10(workflow: JsonValue, notes: Set<string>): JsonValue {
  if (!isObject(workflow)) return workflow;
  const id = ownString(workflow, "workflowId") ?? "";
  const before = new Set<string>();
  const steps = ownArray(workflow, "steps").map((step) => {
    const made = stepIn10(step, { before, notes });
    before.add(ownString(step, "stepId") ?? "");
    return made;
  });
  const lowered: JsonObject = {
    ...withActions(workflow, ["successActions", "failureActions"], notes),
    steps,
  };
  if (ownObject(workflow, "outputs") !== undefined) lowered["outputs"] = outputsIn10(workflow, id, notes);
  return lowered;
}

function stepIn10(
  step: JsonValue,
  { before, notes }: { before: ReadonlySet<string>; notes: Set<string> },
): JsonValue {
  if (!isObject(step)) return step;
  const { timeout, dependsOn, ...rest } = step;
  const id = ownString(step, "stepId") ?? "";
  if (timeout !== undefined) notes.add(`${id}: its timeout was left out.`);
  // A dependency that is before it in the document runs before it anyway.
  if (Array.isArray(dependsOn) && dependsOn.some((name) => typeof name !== "string" || !before.has(name)))
    notes.add(`${id}: its dependsOn was left out; put the steps into their order.`);
  for (const field of ["channelPath", "correlationId", "action"])
    if (Object.hasOwn(rest, field)) notes.add(`${id}: ${field} needs Arazzo 1.1; it was kept.`);
  const lowered = withActions(rest, ["onSuccess", "onFailure"], notes);
  if (ownObject(step, "outputs") !== undefined) lowered["outputs"] = outputsIn10(step, id, notes);
  const criteria = ownValue(lowered, "successCriteria");
  if (Array.isArray(criteria)) lowered["successCriteria"] = criteria.map(criterionIn10);
  const parameters = ownArray(step, "parameters");
  if (parameters.some((parameter) => ownString(parameter, "in") === "querystring"))
    notes.add(`${id}: a parameter in querystring needs Arazzo 1.1; it was kept.`);
  if (hasSelector(parameters) || hasSelector(ownValue(step, "requestBody") ?? null))
    notes.add(`${id}: a selector in its parameters or body needs Arazzo 1.1; it was kept.`);
  return lowered;
}

function withActions(value: JsonObject, lists: string[], notes: Set<string>): JsonObject {
  const lowered: JsonObject = { ...value };
  for (const list of lists) {
    const actions = ownValue(value, list);
    if (Array.isArray(actions)) lowered[list] = actions.map((action) => actionIn10(action, notes));
  }
  return lowered;
}

function actionIn10(action: JsonValue, notes: Set<string>): JsonValue {
  if (!isObject(action)) return action;
  const { parameters, criteria, ...rest } = action;
  if (parameters !== undefined)
    notes.add(`The parameters of the action ${ownString(action, "name") ?? ""} were left out.`);
  return Array.isArray(criteria) ? { ...rest, criteria: criteria.map(criterionIn10) } : rest;
}

/** The versions that 1.1 names are the ones that 1.0 implies. */
function criterionIn10(criterion: JsonValue): JsonValue {
  const type = ownObject(criterion, "type");
  const version = ownString(type, "version");
  if (!isObject(criterion) || !(version === "rfc9535" || version === "xpath-31")) return criterion;
  return { ...criterion, type: version === "rfc9535" ? "jsonpath" : "xpath" };
}

function outputsIn10(holder: JsonObject, id: string, notes: Set<string>): JsonObject {
  const outputs: JsonObject = {};
  for (const [name, output] of Object.entries(ownObject(holder, "outputs") ?? {})) {
    const context = ownString(output, "context");
    const selector = ownString(output, "selector");
    if (!isObject(output) || context === undefined || selector === undefined) outputs[name] = output;
    else if (isPointer(output) && /^\$(?:request|response)\.body$/.test(context))
      outputs[name] = `${context}#${selector}`;
    else notes.add(`${id}: the output ${name} was left out: it selects in a way that Arazzo 1.0 can't say.`);
  }
  return outputs;
}

function isPointer(selector: JsonObject): boolean {
  return (ownString(selector, "type") ?? ownString(ownValue(selector, "type"), "type")) === "jsonpointer";
}

function hasSelector(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(hasSelector);
  if (!isObject(value)) return false;
  if (["context", "selector", "type"].every((key) => Object.hasOwn(value, key))) return true;
  return Object.hasOwn(value, "targetSelectorType") || Object.values(value).some(hasSelector);
}
