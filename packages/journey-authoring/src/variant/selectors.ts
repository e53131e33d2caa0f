import { isObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonArray, JsonPrimitive, JsonValue } from "@waymark/openapi/json.ts";
import { decodePointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { IDENTITIES } from "@waymark/journeys/overlay/tree.ts";

/** A JSONPath that selects one value by names and identities; undefined if an item has no identity. */
export function selectorOf(root: JsonValue, pointer: Pointer): string | undefined {
  let path = "$";
  let current: JsonValue | undefined = root;
  for (const token of decodePointer(pointer) ?? []) {
    const found = Array.isArray(current) ? filterFor(current, Number(token)) : nameSelector(token);
    current = ownValue(current, token);
    if (found === undefined || current === undefined) return undefined;
    path += found;
  }
  return path;
}

function nameSelector(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${quoted(name)}]`;
}

function quoted(text: string): string {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;
}

type Test = [key: string, value: JsonPrimitive];

function filterFor(list: JsonArray, index: number): string | undefined {
  const item = list[index];
  if (item === undefined || item === null || Array.isArray(item)) return undefined;
  if (!isObject(item)) {
    return list.filter((other) => other === item).length === 1 ? `[?@==${literal(item)}]` : undefined;
  }
  for (const tests of testsOf(item)) {
    const isIt = (other: JsonValue): boolean => tests.every(([key, value]) => ownValue(other, key) === value);
    if (tests.length > 0 && list.filter(isIt).length === 1)
      return `[?${tests.map(([key, value]) => `@${nameSelector(key)}==${literal(value)}`).join(" && ")}]`;
  }
  return undefined;
}

/** Yields tests that can identify an item: each of its own identities, then all of its simple fields together. */
function* testsOf(item: JsonValue): Generator<Test[]> {
  for (const key of IDENTITIES) {
    const id = ownString(item, key);
    if (id !== undefined) yield [[key, id]];
  }
  if (!isObject(item)) return;
  const simple = Object.entries(item).flatMap<Test>(([key, value]) =>
    typeof value === "object" ? [] : [[key, value]],
  );
  yield simple;
}

function literal(value: JsonPrimitive): string {
  return typeof value === "string" ? quoted(value) : JSON.stringify(value);
}
