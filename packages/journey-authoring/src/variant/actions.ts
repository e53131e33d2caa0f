import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer, decodePointer, parentPointer, valueAt } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { childOf, identityOf } from "@waymark/journeys/overlay/tree.ts";
import type { EditCommand, EditOf } from "../edit/command.ts";
import { nodeAtPointer, ownPointer } from "./compose.ts";
import type { Composed } from "./compose.ts";
import type { Change } from "./lower.ts";
import { selectorOf } from "./selectors.ts";

/** Edits of the overlay's own text. */
type Way = EditCommand[];

/**
 * The ways to edit the overlay for this change of the composed journey, the best first: change a value that the overlay sets,
 * extend one of its actions, append an action. Other actions may change the same value, so each way is tried, and the composed
 * result is compared.
 */
export function* waysTo(composed: Composed, change: Change, expected: JsonObject): Generator<Way> {
  if (change.op === "setValue") yield* waysToSet(composed, change.pointer, change.value);
  else if (change.op === "insertItem") yield* waysToInsert(composed, change);
  else yield* waysToRemove(composed, change.pointer);
  const from = change.op === "removeValue" ? parentPointer(change.pointer) : change.pointer;
  for (let at = from; !isTooWide(at); at = parentPointer(at)) {
    const value = valueAt(expected, at);
    if (value !== undefined) yield* waysToSet(composed, at, value);
  }
}

/** Replacing these in an overlay would hide all later changes of its base. */
function isTooWide(pointer: Pointer): boolean {
  const [first, , third, ...rest] = decodePointer(pointer) ?? [];
  if (first === undefined) return true;
  return first === "workflows" && (third === undefined || (third === "steps" && rest.length < 2));
}

function appended(...actions: JsonObject[]): Way {
  return actions.map((value) => ({ op: "insertItem", pointer: "/actions", value }));
}

function* waysToSet(composed: Composed, pointer: Pointer, value: JsonValue): Generator<Way> {
  const key = (decodePointer(pointer) ?? []).at(-1) ?? "";
  const own = ownPointer(composed, nodeAtPointer(composed, pointer));
  if (own !== undefined) yield [{ op: "setValue", pointer: own, value }];
  const holder = nodeAtPointer(composed, parentPointer(pointer));
  const ownHolder = ownPointer(composed, holder);
  if (own === undefined && ownHolder !== undefined && holder?.kind === "object")
    yield [{ op: "setValue", pointer: childPointer(ownHolder, key), value }];
  const itself = selectorOf(composed.value, pointer);
  if (holder?.kind !== "object") {
    if (itself !== undefined) yield appended({ target: itself, update: value });
    return;
  }
  const target = selectorOf(composed.value, parentPointer(pointer));
  if (target === undefined) return;
  const at = composed.actions.findLastIndex((action) => action.target === target && isObject(action.update));
  if (at >= 0) yield [{ op: "setValue", pointer: childPointer(`/actions/${at}/update`, key), value }];
  const update = { target, update: { [key]: value } };
  yield appended(update);
  // An update merges, so parts of the old value that must disappear are removed first.
  if (itself !== undefined) yield appended({ target: itself, remove: true }, update);
}

function* waysToInsert(
  composed: Composed,
  { pointer, at: given, value }: EditOf<"insertItem">,
): Generator<Way> {
  const list = nodeAtPointer(composed, pointer);
  if (list?.kind !== "list") return;
  const at = given ?? list.items.length;
  const previous = childOf(list, at - 1);
  const next = childOf(list, at);
  for (const [neighbour, shift] of [
    [previous, 1],
    [next, 0],
  ] as const) {
    const own = ownPointer(composed, neighbour);
    const index = Number(own?.split("/").at(-1));
    if (own === undefined || !Number.isInteger(index)) continue;
    yield [{ op: "insertItem", pointer: parentPointer(own), at: index + shift, value }];
  }
  const own = ownPointer(composed, list);
  if (own !== undefined) yield [{ op: "insertItem", pointer: own, value }];
  const target = selectorOf(composed.value, pointer);
  if (target === undefined) return;
  if (next === undefined) {
    const same = composed.actions.findLastIndex(
      (action) =>
        action.target === target && Array.isArray(action.update) && action["x-insert"] === undefined,
    );
    if (same >= 0) yield [{ op: "insertItem", pointer: `/actions/${same}/update`, value }];
    yield appended({ target, update: [value] });
    return;
  }
  const before = identityOf(next);
  const after = previous === undefined ? undefined : identityOf(previous);
  if (after !== undefined) yield appended({ target, "x-insert": { after }, update: [value] });
  if (before !== undefined) yield appended({ target, "x-insert": { before }, update: [value] });
}

function* waysToRemove(composed: Composed, pointer: Pointer): Generator<Way> {
  const own = ownPointer(composed, nodeAtPointer(composed, pointer));
  if (own !== undefined) {
    yield [{ op: "removeValue", pointer: wholeAction(composed, own) }];
    yield [{ op: "removeValue", pointer: own }];
  }
  const target = selectorOf(composed.value, pointer);
  if (target !== undefined) yield appended({ target, remove: true });
}

/** The action, where a value is all that its update says; else the largest part of the update that says only this. */
export function wholeAction({ actions }: Composed, own: Pointer): Pointer {
  const index = Number(own.split("/")[2]);
  const update = actions[index]?.update;
  let at = own;
  while (at !== `/actions/${index}/update`) {
    const holder = valueAt(update, parentPointer(at).slice(`/actions/${index}/update`.length));
    if (typeof holder !== "object" || holder === null || Object.keys(holder).length > 1) return at;
    at = parentPointer(at);
  }
  return parentPointer(at);
}
