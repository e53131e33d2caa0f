export type JsonPrimitive = string | number | boolean | null;
export type JsonArray = JsonValue[];
export interface JsonObject {
  [key: string]: JsonValue;
}
export type JsonValue = JsonPrimitive | JsonArray | JsonObject;

/** An object that is not an array. Read its properties with `ownValue` or `Object.entries`. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member of an object or an item of an array. Own properties only: a document never reaches a prototype. */
export function ownValue(container: unknown, key: string): JsonValue | undefined {
  if (Array.isArray(container)) {
    const items: JsonArray = container;
    return /^(?:0|[1-9]\d{0,15})$/.test(key) ? items[Number(key)] : undefined;
  }
  return isObject(container) && Object.hasOwn(container, key) ? container[key] : undefined;
}

export function ownString(value: unknown, key: string): string | undefined {
  const found = ownValue(value, key);
  return typeof found === "string" ? found : undefined;
}

export function ownObject(value: unknown, key: string): JsonObject | undefined {
  const found = ownValue(value, key);
  return isObject(found) ? found : undefined;
}

export function ownArray(value: unknown, key: string): JsonArray {
  const found = ownValue(value, key);
  return Array.isArray(found) ? found : [];
}

/** Equality of JSON values: the order of keys doesn't count, the order of items does. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    const items: unknown[] = b;
    return a.every((item, index) => jsonEqual(item, items[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]));
}

export function cloneJson<T extends JsonValue>(value: T): T {
  return structuredClone(value);
}
