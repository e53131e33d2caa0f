export type JsonPrimitive = string | number | boolean | null;
export type JsonArray = JsonValue[];
export interface JsonObject {
  [key: string]: JsonValue;
}
export type JsonValue = JsonPrimitive | JsonArray | JsonObject;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Own property only: what stands on a prototype is never part of a document. */
export function ownValue(value: unknown, key: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
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
export function jsonEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => jsonEqual(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]));
}

export function cloneJson<T extends JsonValue>(value: T): T {
  return structuredClone(value);
}
