import { expect, test } from "vitest";
import { jsonEqual, ownValue } from "./json.ts";
import { childPointer, decodePointer, encodePointer, parentPointer, valueAt } from "./pointer.ts";

test.each([
  ["", []],
  ["/", [""]],
  ["/paths/~1users~1{id}/get", ["paths", "/users/{id}", "get"]],
  ["/a~01", ["a~1"]],
])("the pointer %j has the tokens %j, and back", (text, tokens) => {
  expect(decodePointer(text)).toEqual(tokens);
  expect(encodePointer(tokens)).toBe(text);
});

test.each(["paths", "#/paths", "/a~2", "/a~"])("%j is no pointer and leads nowhere", (text) => {
  expect(decodePointer(text)).toBeUndefined();
  expect(valueAt({ paths: 1, "a~2": 1, "a~": 1 }, text)).toBeUndefined();
});

test("a pointer reaches own members and items only", () => {
  const root = { list: [{ name: "a" }], empty: null };
  expect(valueAt(root, "/list/0/name")).toBe("a");
  expect(valueAt(root, "/empty")).toBeNull();
  for (const text of ["/list/01", "/list/-", "/list/length", "/toString", "/constructor/name", "/empty/a"]) {
    expect(valueAt(root, text)).toBeUndefined();
  }
  expect(ownValue("text", "length")).toBeUndefined();
});

test("a child's parent is where it came from", () => {
  expect(childPointer("/paths", "/a~b")).toBe("/paths/~1a~0b");
  expect(parentPointer("/paths/~1a~0b")).toBe("/paths");
  expect(parentPointer("/paths")).toBe("");
});

test("values are equal whatever the order of their keys, and not of their items", () => {
  expect(jsonEqual({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toBe(true);
  expect(jsonEqual([1, 2], [2, 1])).toBe(false);
  expect(jsonEqual({ a: 1 }, { a: 1, b: 2 })).toBe(false);
  expect(jsonEqual({ length: 0 }, [])).toBe(false);
});
