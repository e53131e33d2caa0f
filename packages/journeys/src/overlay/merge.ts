import { childPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import type { InsertPlace } from "./model.ts";
import { forget, identityOf } from "./tree.ts";
import type { ListNode, TreeNode } from "./tree.ts";

/** An update that doesn't fit its target, with the place in the update. */
export interface MergeFault {
  message: string;
  /** Below the action's `update`. */
  pointer: Pointer;
}

const KINDS = { scalar: "a single value", list: "a list", object: "an object" };

/**
 * Merges an update into a node, as the Overlay specification has it: objects member by member, lists by appending,
 * single values by replacing. The node stays the same object; parts that can't be merged are reported and not changed.
 */
export function mergeInto(target: TreeNode, update: TreeNode, pointer: Pointer = ""): MergeFault[] {
  forget(target);
  if (target.kind === "list") {
    target.items.push(...(update.kind === "list" ? update.items : [update]));
    return [];
  }
  if (target.kind !== update.kind) {
    return [{ message: `The target is ${KINDS[target.kind]}, the update ${KINDS[update.kind]}.`, pointer }];
  }
  if (target.kind === "scalar" && update.kind === "scalar") {
    target.value = update.value;
    target.origin = update.origin;
    if (target.change === "inherited") target.change = "changed";
    return [];
  }
  if (target.kind !== "object" || update.kind !== "object") return [];
  const faults: MergeFault[] = [];
  for (const [key, member] of update.members) {
    const found = target.members.get(key);
    if (found === undefined) target.members.set(key, member);
    else faults.push(...mergeMember(found, member, childPointer(pointer, key)));
  }
  return faults;
}

/** Below the target itself a list takes a list only. */
function mergeMember(target: TreeNode, update: TreeNode, pointer: Pointer): MergeFault[] {
  if (target.kind === "list" && update.kind !== "list") {
    return [{ message: `The target is a list, the update ${KINDS[update.kind]}.`, pointer }];
  }
  return mergeInto(target, update, pointer);
}

/** Puts items before or after the one known by an id. */
export function insertInto(target: ListNode, update: TreeNode, place: InsertPlace): MergeFault[] {
  const id = "before" in place ? place.before : place.after;
  const found = target.items.flatMap((item, index) => (identityOf(item) === id ? [index] : []));
  const [at] = found;
  if (at === undefined) return [{ message: `The list has no item ${id} to insert at.`, pointer: "" }];
  if (found.length > 1) return [{ message: `The list has more than one item ${id}.`, pointer: "" }];
  const items = update.kind === "list" ? update.items : [update];
  forget(target);
  target.items.splice("before" in place ? at : at + 1, 0, ...items);
  return [];
}
