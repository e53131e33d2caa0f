import { cloneJson, isObject } from "@waymark/openapi/json.ts";
import type { JsonArray, JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { decodePointer, parentPointer, valueAt } from "@waymark/openapi/pointer.ts";
import type { EditOf } from "./command.ts";
import { EditRefused } from "./refusal.ts";

const DEPTH_MAX = 100;

/** @throws EditRefused for a value that a document can't contain. */
export function checkJson(value: JsonValue, pointer: string, depth = 0): void {
  if (depth > DEPTH_MAX) throw new EditRefused("The value is nested too deep.", pointer);
  if (typeof value === "number" && !Number.isFinite(value))
    throw new EditRefused("The number must be finite.", pointer);
  if (typeof value === "string" && !value.isWellFormed())
    throw new EditRefused("The text isn't well-formed.", pointer);
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === "__proto__") throw new EditRefused("The key __proto__ isn't accepted.", pointer);
    if (!key.isWellFormed()) throw new EditRefused("A key isn't well-formed.", pointer);
    checkJson(member, pointer, depth + 1);
  }
}

/** The last part of a pointer, and the list or object that contains it, or will. */
interface Holder {
  key: string;
  holder: JsonValue | undefined;
  before: JsonValue | undefined;
}

function holderOf(root: JsonObject, pointer: string): Holder {
  const key = (decodePointer(pointer) ?? []).at(-1);
  if (key === undefined) throw new EditRefused("The pointer must name a field, as in /info/title.", pointer);
  return { key, holder: valueAt(root, parentPointer(pointer)), before: valueAt(root, pointer) };
}

export function withValue(
  root: JsonObject,
  { op, pointer, value }: EditOf<"setScalar" | "setValue">,
): JsonObject {
  const copy = cloneJson(root);
  const { key, holder, before } = holderOf(copy, pointer);
  if (key === "__proto__") throw new EditRefused("The key __proto__ isn't accepted.", pointer);
  checkJson(value, pointer);
  if (op === "setScalar" && typeof before === "object" && before !== null) {
    throw new EditRefused("There is a list or an object here; only a scalar can be set.", pointer);
  }
  if (Array.isArray(holder) && before !== undefined) holder[Number(key)] = cloneJson(value);
  else if (isObject(holder)) holder[key] = cloneJson(value);
  else throw new EditRefused("What would hold this field isn't there.", pointer);
  return copy;
}

export function withoutValue(root: JsonObject, { pointer }: EditOf<"removeValue">): JsonObject {
  const copy = cloneJson(root);
  const { key, holder, before } = holderOf(copy, pointer);
  if (before === undefined) throw new EditRefused("There is nothing here that could be removed.", pointer);
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else if (isObject(holder)) delete holder[key];
  return copy;
}

export function withItemInserted(root: JsonObject, { pointer, at, value }: EditOf<"insertItem">): JsonObject {
  const copy = cloneJson(root);
  const list = listAt(copy, pointer);
  checkJson(value, pointer);
  if (at !== undefined && at > list.length)
    throw new EditRefused(`The list has only ${list.length} items.`, pointer);
  list.splice(at ?? list.length, 0, cloneJson(value));
  return copy;
}

export function withItemMoved(root: JsonObject, { pointer, to }: EditOf<"moveItem">): JsonObject {
  const copy = cloneJson(root);
  const { key, before } = holderOf(copy, pointer);
  const list = listAt(copy, parentPointer(pointer));
  if (before === undefined) throw new EditRefused("The list has no such item.", pointer);
  if (to >= list.length) throw new EditRefused(`The list has only ${list.length} items.`, pointer);
  list.splice(to, 0, ...list.splice(Number(key), 1));
  return copy;
}

export function withValueWrapped(root: JsonObject, { pointer, key }: EditOf<"wrapValue">): JsonObject {
  const value = valueAt(root, pointer);
  if (value === undefined) throw new EditRefused("There is nothing here that could be wrapped.", pointer);
  if (key === "__proto__") throw new EditRefused("The key __proto__ isn't accepted.", pointer);
  const wrapped = key === undefined ? [value] : { [key]: value };
  return withValue(root, { op: "setValue", pointer, value: wrapped });
}

function listAt(root: JsonObject, pointer: string): JsonArray {
  const list = valueAt(root, pointer);
  if (!Array.isArray(list)) throw new EditRefused("There is no list here.", pointer);
  return list;
}
