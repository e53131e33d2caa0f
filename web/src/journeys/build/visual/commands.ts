import type { EditCommand } from "@waymark/journey-authoring/edit/command.ts";
import { isObject, jsonEqual } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import type { AssertionRow, StepCard, WorkflowOutline } from "./outline.ts";

/**
 * Moves the step of an index before the one that has the index `gap` now, or behind the last one. Undefined where that changes nothing,
 * or there is no such place.
 */
export function moveTo(
  { workflowId, steps }: WorkflowOutline,
  from: number,
  gap: number,
): EditCommand | undefined {
  const stepId = steps[from]?.stepId;
  const neighbour = steps[gap > from ? gap - 1 : gap]?.stepId;
  if (stepId === undefined || neighbour === undefined || gap === from || gap === from + 1) return undefined;
  return { op: "moveStep", workflowId, stepId, [gap > from ? "after" : "before"]: neighbour };
}

/** An id that no step of the workflow has: the wanted one, or with a number. */
export function freeStepId({ steps }: { steps: readonly { stepId: string }[] }, wanted: string): string {
  const taken = new Set(steps.map(({ stepId }) => stepId));
  if (!taken.has(wanted)) return wanted;
  const stem = wanted.replace(/-\d+$/, "");
  for (let count = 2; ; count += 1) {
    const id = `${stem}-${count}`;
    if (!taken.has(id)) return id;
  }
}

export function duplicateOf(workflow: WorkflowOutline, { stepId, value }: StepCard): EditCommand {
  const step = { ...value, stepId: freeStepId(workflow, stepId) };
  return { op: "insertStep", workflowId: workflow.workflowId, step, after: stepId };
}

/** Appends to a list of an object, or adds the list. */
export function appendTo(holder: JsonObject, pointer: Pointer, key: string, value: JsonValue): EditCommand {
  const list = childPointer(pointer, key);
  return Array.isArray(holder[key])
    ? { op: "insertItem", pointer: list, value }
    : { op: "setValue", pointer: list, value: [value] };
}

/** Removes an item of a list or a member of an object; the last one together with the list or the object. */
export function removeFrom(count: number, pointer: Pointer): EditCommand {
  const holder = pointer.slice(0, pointer.lastIndexOf("/"));
  return { op: "removeValue", pointer: count === 1 ? holder : pointer };
}

/** Removes an item of a list in a workflow's `x-journey`; the last one together with the list, and with `x-journey` if it has no more. */
export function removeFromExtension(
  { pointer: workflow, extension }: WorkflowOutline,
  count: number,
  pointer: Pointer,
): EditCommand {
  const members = Object.keys(extension ?? {}).length;
  return count > 1 || members > 1
    ? removeFrom(count, pointer)
    : { op: "removeValue", pointer: childPointer(workflow, "x-journey") };
}

/** Sets a member, or removes it if there is no value. */
export function setOrRemove(
  holder: JsonObject,
  pointer: Pointer,
  key: string,
  value: JsonValue | undefined,
): EditCommand | undefined {
  const at = childPointer(pointer, key);
  if (value !== undefined) return { op: "setValue", pointer: at, value };
  return Object.hasOwn(holder, key) ? { op: "removeValue", pointer: at } : undefined;
}

/** Gives an assertion another id, also where it proves a criterion. An empty one takes its id away. */
export function setAssertionId(
  { workflowId, stepId }: { workflowId: string; stepId: string },
  { id, value, pointer }: AssertionRow,
  to: string,
): EditCommand | undefined {
  if (id === undefined || id === "" || to === "")
    return setOrRemove(value, pointer, "x-id", to === "" ? undefined : to);
  return { op: "renameAssertion", workflowId, stepId, id, to };
}

/** The one change between two lists of texts, of which one has an item more. */
export function listChange(
  pointer: Pointer,
  before: readonly string[],
  after: readonly string[],
): EditCommand | undefined {
  const added = after.find((item) => !before.includes(item));
  if (added !== undefined) return { op: "insertItem", pointer, value: added };
  const at = before.findIndex((item) => !after.includes(item));
  return at < 0 ? undefined : { op: "removeValue", pointer: childPointer(pointer, at) };
}

/** Sets a value where it differs: a change of one member deep in a payload leaves the lines of all others alone. */
export function setNarrowly(pointer: Pointer, before: JsonValue | undefined, after: JsonValue): EditCommand {
  if (isObject(before) && isObject(after)) {
    const keys = Object.keys(before);
    const [only, ...others] = keys.filter((key) => !jsonEqual(before[key], after[key]));
    const hasSameKeys = jsonEqual(keys.toSorted(), Object.keys(after).toSorted());
    const next = only === undefined ? undefined : after[only];
    if (hasSameKeys && only !== undefined && next !== undefined && others.length === 0)
      return setNarrowly(childPointer(pointer, only), before[only], next);
  }
  return { op: "setValue", pointer, value: after };
}
