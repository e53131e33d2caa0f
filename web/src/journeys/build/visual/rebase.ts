import type { EditCommand, EditOf } from "@waymark/journey-authoring/edit/command.ts";
import { isObject, jsonEqual, ownArray, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import {
  childPointer,
  decodePointer,
  encodePointer,
  type Pointer,
  valueAt,
} from "@waymark/openapi/pointer.ts";
import { freeStepId } from "./commands.ts";

/**
 * The command that changes a journey as the given one changes the journey before one other change: the same places, which may
 * have moved, and nothing that the other change added.
 *
 * @returns undefined if the value that it changes does not exist any more
 */
export function rebase(command: EditCommand, before: JsonObject, after: JsonObject): EditCommand | undefined {
  switch (command.op) {
    case "patchText":
      return command;
    case "insertStep":
    case "moveStep":
    case "removeStep":
    case "renameStep":
    case "renameAssertion":
      return rebaseStep(command, before, after);
    default: {
      const pointer = placeIn(before, after, command.pointer);
      if (pointer === undefined) return undefined;
      const [was, is] = [valueAt(before, command.pointer), valueAt(after, pointer)];
      if (command.op === "setValue" && was === undefined) return added(pointer, command.value, is);
      return command.op === "removeValue" ? removal(pointer, was, is) : { ...command, pointer };
    }
  }
}

/** Returns the new pointer of a place after one change. Items of a list may have moved. */
function placeIn(before: JsonObject, after: JsonObject, pointer: Pointer): Pointer | undefined {
  let [was, is]: [JsonValue | undefined, JsonValue | undefined] = [before, after];
  const tokens: string[] = [];
  for (const token of decodePointer(pointer) ?? []) {
    if (was !== undefined && is === undefined) return undefined;
    const key = Array.isArray(was) && Array.isArray(is) ? indexIn(was, is, Number(token)) : token;
    if (key === undefined) return undefined;
    was = ownValue(was, token);
    is = ownValue(is, String(key));
    tokens.push(String(key));
  }
  return encodePointer(tokens);
}

/** Returns the new index of a list's item after one change, which may be of the item itself. */
function indexIn(was: readonly JsonValue[], is: readonly JsonValue[], index: number): number | undefined {
  const item = was[index];
  if (item === undefined || jsonEqual(item, is[index])) return index;
  const equal = is.findIndex((one) => jsonEqual(one, item));
  if (equal >= 0) return equal;
  const name = nameOf(item);
  const named = name === undefined ? -1 : is.findIndex((one) => nameOf(one) === name);
  if (named >= 0) return named;
  return was.length === is.length ? index : undefined;
}

function nameOf(item: JsonValue): string | undefined {
  const names = ["stepId", "workflowId", "name", "id", "x-id"].map((key) => ownString(item, key));
  return names.find((name) => name !== undefined);
}

/** Adds a value where there was none. Members that were added there meanwhile stay. */
function added(pointer: Pointer, value: JsonValue, is: JsonValue | undefined): EditCommand {
  if (isObject(value) && isObject(is)) {
    const key = onlyKey(value);
    const member = key === undefined ? undefined : value[key];
    if (key !== undefined && member !== undefined)
      return added(childPointer(pointer, key), member, ownValue(is, key));
  }
  if (Array.isArray(value) && Array.isArray(is) && onlyKey(value) !== undefined && value[0] !== undefined)
    return { op: "insertItem", pointer, value: value[0] };
  return { op: "setValue", pointer, value };
}

/** Removes a list or an object with its only item, but keeps it if items were added meanwhile. */
function removal(
  pointer: Pointer,
  was: JsonValue | undefined,
  is: JsonValue | undefined,
): EditCommand | undefined {
  if (is === undefined) return undefined;
  const key = onlyKey(was);
  if (key === undefined || keysOf(is).length < 2) return { op: "removeValue", pointer };
  const only = Array.isArray(was) && Array.isArray(is) ? indexIn(was, is, 0) : key;
  return only === undefined ? undefined : { op: "removeValue", pointer: childPointer(pointer, only) };
}

const keysOf = (value: JsonValue | undefined) =>
  isObject(value) || Array.isArray(value) ? Object.keys(value) : [];

function onlyKey(value: JsonValue | undefined): string | undefined {
  const [key, ...others] = keysOf(value);
  return others.length === 0 ? key : undefined;
}

type StepCommand = EditOf<"insertStep" | "moveStep" | "removeStep" | "renameStep" | "renameAssertion">;

function rebaseStep(command: StepCommand, before: JsonObject, after: JsonObject): EditCommand | undefined {
  const [was, is] = [stepsOf(before, command.workflowId), stepsOf(after, command.workflowId)];
  const now = (stepId: string | undefined) => stepNow(was, is, stepId);
  if (command.op === "insertStep") {
    const wanted = ownString(command.step, "stepId");
    const place = { before: now(command.before), after: now(command.after) };
    if (wanted === undefined) return { ...command, ...place };
    const steps = idsOf(is).map((stepId) => ({ stepId }));
    return { ...command, ...place, step: { ...command.step, stepId: freeStepId({ steps }, wanted) } };
  }
  const stepId = now(command.stepId);
  if (stepId === undefined) return undefined;
  if (command.op !== "moveStep") return { ...command, stepId };
  return { ...command, stepId, ...movedBy({ was, is }, { ...command, to: stepId }) };
}

/** Returns the neighbour beside which a step has moved as many places as the command moved it in the old journey. */
function movedBy(
  { was, is }: { was: JsonValue[]; is: JsonValue[] },
  command: { stepId: string; to: string; before?: string | undefined; after?: string | undefined },
): { before: string | undefined; after: string | undefined } {
  const { stepId, to, before, after } = command;
  const by = idsOf(was).indexOf(before ?? after ?? "") - idsOf(was).indexOf(stepId);
  const neighbour = idsOf(is)[idsOf(is).indexOf(to) + by] ?? stepNow(was, is, before ?? after);
  return before === undefined
    ? { before: undefined, after: neighbour }
    : { before: neighbour, after: undefined };
}

function stepsOf(journey: JsonObject, workflowId: string | undefined): JsonValue[] {
  const workflow = ownArray(journey, "workflows").find((one) => ownString(one, "workflowId") === workflowId);
  return ownArray(workflow, "steps");
}

const idsOf = (steps: readonly JsonValue[]) => steps.map((step) => ownString(step, "stepId") ?? "");

/** The id that a step has now; undefined if it is gone. */
function stepNow(was: JsonValue[], is: JsonValue[], stepId: string | undefined): string | undefined {
  const index = stepId === undefined ? -1 : idsOf(was).indexOf(stepId);
  const now = index < 0 ? undefined : indexIn(was, is, index);
  return now === undefined ? undefined : ownString(is[now], "stepId");
}
