import { ownArray, ownObject, ownString } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { placedItems, reportDuplicates } from "./context.ts";
import type { LintContext, Placed } from "./context.ts";
import { actionRules, componentReferences, criterionRules, workflowReference } from "./reference-rules.ts";

const CALLS = ["operationId", "operationPath", "workflowId", "channelPath", "x-operation"];

/** Rules of one step. `steps` are the ids of its workflow. */
export function stepRules(
  context: LintContext,
  { value: step, pointer }: Placed,
  steps: ReadonlySet<string>,
): void {
  callRules(context, step, pointer);
  parameterRules(context, step, pointer, ownString(step, "workflowId") === undefined);
  const criteria = placedItems(step, "successCriteria", pointer);
  for (const criterion of criteria) criterionRules(context, criterion);
  reportDuplicates(context, criteria, "x-id", "criterion");
  for (const list of ["onSuccess", "onFailure"])
    actionRules(context, placedItems(step, list, pointer), steps);
  componentReferences(context, step, pointer);
  dependencyRules(context, step, pointer, steps);
  const poll = ownObject(ownObject(step, "x-journey"), "poll");
  if (poll !== undefined && Number(poll["maxMs"]) < Number(poll["everyMs"])) {
    context.report(
      "error",
      "poll",
      "maxMs is shorter than everyMs: nothing would be polled.",
      `${pointer}/x-journey/poll`,
    );
  }
}

function callRules(context: LintContext, step: JsonObject, pointer: Pointer): void {
  const calls = CALLS.filter((field) => Object.hasOwn(step, field));
  if (calls.length === 0) {
    const message =
      "The step calls nothing; give it an operationId, operationPath, workflowId or x-operation.";
    context.report("error", "step-target", message, pointer);
  }
  if (calls.length > 1) {
    context.report(
      "error",
      "step-target",
      `A step calls one thing; this one has ${calls.join(" and ")}.`,
      pointer,
    );
  }
  const workflowId = ownString(step, "workflowId");
  if (workflowId !== undefined) workflowReference(context, workflowId, childPointer(pointer, "workflowId"));
  for (const field of ["operationId", "operationPath"]) {
    const named = /\$sourceDescriptions\.([A-Za-z0-9_-]+)/.exec(ownString(step, field) ?? "")?.[1];
    if (named !== undefined && !context.sources.has(named)) {
      context.report("error", "unknown-source", `There is no source ${named}.`, childPointer(pointer, field));
    }
  }
  if (Object.hasOwn(step, "channelPath") || Object.hasOwn(step, "action")) {
    context.report(
      "warning",
      "not-http",
      "AsyncAPI steps are read, but only HTTP steps can be run.",
      pointer,
    );
  }
}

/** Names are unique per location, and an operation's parameters say where they go. */
export function parameterRules(
  context: LintContext,
  holder: JsonObject,
  pointer: Pointer,
  needsIn: boolean,
): void {
  const seen = new Set<string>();
  for (const { value, pointer: at } of placedItems(holder, "parameters", pointer)) {
    const name = ownString(value, "name");
    if (name === undefined) continue;
    const location = ownString(value, "in");
    if (needsIn && location === undefined) {
      const message = `The parameter ${name} needs in: path, query, header or cookie.`;
      context.report("error", "parameter-without-location", message, at);
    }
    const key = `${location}:${location === "header" ? name.toLowerCase() : name}`;
    if (seen.has(key)) {
      context.report(
        "error",
        "duplicate-parameter",
        `There is another parameter ${name} in the same place.`,
        at,
      );
    }
    seen.add(key);
  }
}

function dependencyRules(
  context: LintContext,
  step: JsonObject,
  pointer: Pointer,
  steps: ReadonlySet<string>,
): void {
  for (const [index, id] of ownArray(step, "dependsOn").entries()) {
    const at = `${pointer}/dependsOn/${index}`;
    if (typeof id !== "string") continue;
    if (id === ownString(step, "stepId"))
      context.report("error", "dependency", "A step can't depend on itself.", at);
    const foreign = /^\$workflows\.([^.]+)\.steps\.([^.]+)$/.exec(id);
    const known =
      foreign === null
        ? steps.has(id)
        : context.stepIds.get(foreign[1] ?? "")?.has(foreign[2] ?? "") === true;
    if (!known && !id.startsWith("$sourceDescriptions.")) {
      context.report("error", "unknown-step", `There is no step ${id}.`, at);
    }
  }
}
