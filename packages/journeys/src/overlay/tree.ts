import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonPrimitive, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";

/** Which text a node's value was written in, and where there. */
export interface Origin {
  /** 0 is the base, n the nth overlay. */
  layer: number;
  pointer: Pointer;
}

interface NodeFacts {
  origin: Origin;
  /** Compared with the base: whether the node was there, and whether its own value is another. */
  change: "inherited" | "changed" | "added";
}

/** Cached results for a list or an object, until something in it changes: actions change little of a document. */
interface Computed {
  computed?: { value: JsonValue; size: number } | undefined;
}

/** A document with the origin of every node. */
export type TreeNode = NodeFacts &
  (
    | { kind: "scalar"; value: JsonPrimitive }
    | (Computed & { kind: "list"; items: TreeNode[] })
    | (Computed & { kind: "object"; members: Map<string, TreeNode> })
  );

export type ListNode = Extract<TreeNode, { kind: "list" }>;
export type ObjectNode = Extract<TreeNode, { kind: "object" }>;

export function treeOf(value: JsonValue, layer: number, pointer: Pointer): TreeNode {
  const facts: NodeFacts = { origin: { layer, pointer }, change: layer === 0 ? "inherited" : "added" };
  if (Array.isArray(value)) {
    const items = value.map((item, index) => treeOf(item, layer, childPointer(pointer, index)));
    return { ...facts, kind: "list", items };
  }
  if (!isObject(value)) return { ...facts, kind: "scalar", value };
  const members = new Map<string, TreeNode>();
  for (const [key, member] of Object.entries(value)) {
    members.set(key, treeOf(member, layer, childPointer(pointer, key)));
  }
  return { ...facts, kind: "object", members };
}

export function valueOf(node: TreeNode): JsonValue {
  return node.kind === "scalar" ? node.value : compute(node).value;
}

/** The number of values in a node, including itself. */
export function sizeOf(node: TreeNode): number {
  return node.kind === "scalar" ? 1 : compute(node).size;
}

function compute(node: ListNode | ObjectNode): { value: JsonValue; size: number } {
  if (node.computed !== undefined) return node.computed;
  const children = node.kind === "list" ? node.items : [...node.members.values()];
  const size = children.reduce((sum, child) => sum + sizeOf(child), 1);
  let value: JsonValue;
  if (node.kind === "list") value = node.items.map(valueOf);
  else {
    const object: JsonObject = {};
    for (const [key, member] of node.members) object[key] = valueOf(member);
    value = object;
  }
  return (node.computed = { value, size });
}

/** Call it when a node changes: updates the node and everything that contains it. */
export function forget(node: TreeNode): void {
  if (node.kind !== "scalar") node.computed = undefined;
}

export function childOf(node: TreeNode | undefined, key: string | number): TreeNode | undefined {
  if (node?.kind === "list") return node.items[Number(key)];
  return node?.kind === "object" ? node.members.get(String(key)) : undefined;
}

export function nodeAt(root: TreeNode, location: readonly (string | number)[]): TreeNode | undefined {
  let node: TreeNode | undefined = root;
  for (const key of location) node = childOf(node, key);
  return node;
}

/** Every node with its pointer in the document as it is now, parents first. */
export function* walk(node: TreeNode, pointer: Pointer = ""): Generator<[Pointer, TreeNode]> {
  yield [pointer, node];
  if (node.kind === "list") {
    for (const [index, item] of node.items.entries()) yield* walk(item, childPointer(pointer, index));
  } else if (node.kind === "object") {
    for (const [key, member] of node.members) yield* walk(member, childPointer(pointer, key));
  }
}

/** A copy as an overlay makes it: the values are the source's, the overlay's action is where they come from. */
export function copyOf(node: TreeNode, origin: Origin): TreeNode {
  const facts: NodeFacts = { origin, change: "added" };
  if (node.kind === "scalar") return { ...facts, kind: "scalar", value: node.value };
  if (node.kind === "list")
    return { ...facts, kind: "list", items: node.items.map((item) => copyOf(item, origin)) };
  const members = new Map([...node.members].map(([key, member]) => [key, copyOf(member, origin)] as const));
  return { ...facts, kind: "object", members };
}

/** Members that identify an item of a list, the strongest first. */
export const IDENTITIES = ["stepId", "workflowId", "x-id", "id", "name"];

/** The identity of an item of a list. */
export function identityOf(node: TreeNode): string | undefined {
  for (const key of IDENTITIES) {
    const found = childOf(node, key);
    if (found?.kind === "scalar" && typeof found.value === "string") return found.value;
  }
  return undefined;
}
