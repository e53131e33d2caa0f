import { isObject, jsonEqual } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { decodePointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { childOf, identityOf, valueOf, walk } from "@waymark/journeys/overlay/tree.ts";
import type { TreeNode } from "@waymark/journeys/overlay/tree.ts";
import type { EditCommand } from "../edit/command.ts";
import { expectedModel } from "../edit/expected-model.ts";
import { EditRefused } from "../edit/refusal.ts";
import { wholeAction } from "./actions.ts";
import { nodeAtPointer, ownPointer } from "./compose.ts";
import type { Composed } from "./compose.ts";

/** The composed journey with a value as it is below the overlay; without the value where the overlay added it. */
export function expectedReset(composed: Composed, below: Composed, pointer: Pointer): JsonObject {
  const lower = sameNode(composed.root, below.root, decodePointer(pointer) ?? []);
  if (lower !== undefined)
    return expectedModel(composed.value, { op: "setValue", pointer, value: valueOf(lower) });
  return expectedModel(composed.value, { op: "removeValue", pointer });
}

/** The corresponding node of the lower journey; items of lists are matched by identity. */
function sameNode(above: TreeNode, below: TreeNode, tokens: readonly string[]): TreeNode | undefined {
  let here: TreeNode | undefined = above;
  let there: TreeNode | undefined = below;
  for (const token of tokens) {
    const list: TreeNode | undefined = here?.kind === "list" ? here : undefined;
    here = here === undefined ? undefined : childOf(here, token);
    there = list === undefined ? childOf(there, token) : counterpart(there, here, Number(token));
  }
  return there;
}

function counterpart(
  list: TreeNode | undefined,
  item: TreeNode | undefined,
  index: number,
): TreeNode | undefined {
  if (list?.kind !== "list" || item === undefined) return undefined;
  const id = identityOf(item);
  if (id !== undefined) return list.items.find((other) => identityOf(other) === id);
  const value = valueOf(item);
  return list.items.find((other) => jsonEqual(valueOf(other), value)) ?? list.items[index];
}

/** The ways to undo what the overlay does to a value: remove only that, one action, or two consecutive ones. */
export function* waysToReset(composed: Composed, pointer: Pointer): Generator<EditCommand[]> {
  const node = nodeAtPointer(composed, pointer);
  const own = new Set<Pointer>();
  for (const [, part] of node === undefined ? [] : walk(node)) {
    const at = ownPointer(composed, part);
    if (at !== undefined) own.add(wholeAction(composed, at));
  }
  const parts = [...own].filter((at) => ![...own].some((other) => at.startsWith(`${other}/`)));
  if (parts.length > 0) yield parts.toSorted(lastFirst).map((at) => ({ op: "removeValue", pointer: at }));
  const removal = (index: number): EditCommand => ({ op: "removeValue", pointer: `/actions/${index}` });
  for (let index = composed.actions.length - 1; index >= 0; index -= 1) {
    yield [removal(index)];
    // A value of another kind is removed by one action and set by the next.
    if (index > 0) yield [removal(index), removal(index - 1)];
  }
}

/** In reverse, so that removals don't shift the remaining ones. */
function lastFirst(a: Pointer, b: Pointer): number {
  return b.localeCompare(a, "en", { numeric: true });
}

/** @throws EditRefused if no action of the overlay changes the value. */
export function checkResettable(composed: Composed, expected: JsonObject, pointer: Pointer): void {
  if (isObject(expected) && jsonEqual(composed.value, expected))
    throw new EditRefused("The variant has this value from its base already.", pointer);
}
