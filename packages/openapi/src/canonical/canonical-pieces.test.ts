import { describe, expect, test } from "vitest";
import { canonicalPieces, canonicalText } from "./canonical-pieces.ts";

const LIMITS = { chars: 1_000_000, depth: 50 };
const text = (value: unknown) => canonicalText(value, LIMITS);

describe("the canonical text", () => {
  test("is JSON with sorted keys, at every level, and the same value", () => {
    const value = { b: [{ z: 1, a: "é\n" }, []], a: { y: { x: { w: { d: null, c: true } } } }, "": {} };
    expect(JSON.parse(text(value))).toEqual(value);
    expect(text(value)).toBe('{"":{},"a":{"y":{"x":{"w":{"c":true,"d":null}}}},"b":[{"a":"é\\n","z":1},[]]}');
    expect(text({ b: 1, a: 2 })).toBe(text({ a: 2, b: 1 }));
  });

  test("has names that objects of JavaScript have", () => {
    const value: unknown = JSON.parse('{"paths":{"__proto__":{"constructor":{"__proto__":1}}}}');
    expect(text(value)).toBe('{"paths":{"__proto__":{"constructor":{"__proto__":1}}}}');
  });

  test.each([[{}], [[]], [null], ["x"], [1.5], [{ a: {} }]])("is valid for %j", (value) => {
    expect(JSON.parse(text(value))).toEqual(value);
  });

  test("writes half a surrogate pair as an escape, which UTF-8 can store", () => {
    expect(text("\ud800")).toBe(String.raw`"\ud800"`);
  });
});

test("a piece begins at each operation and component, so that a change of one leaves the others as they are", () => {
  const operations = { get: { a: { b: 1 } }, put: { c: 2 } };
  const before = [...canonicalPieces({ paths: { "/a": operations, "/b": operations } }, LIMITS)];
  const changed = { ...operations, put: { c: 3 } };
  const after = [...canonicalPieces({ paths: { "/a": changed, "/b": operations } }, LIMITS)];
  expect(before).toContain('{"paths":{"/a":{"get":{"a":{"b":1}}');
  expect(after.filter((piece, index) => piece !== before[index])).toEqual([',"put":{"c":3}']);
});

describe("a value without a canonical text is refused with its place", () => {
  test("if it nests too deeply", () => {
    let value: unknown = 1;
    for (let n = 0; n < 60; n++) value = { a: value };
    expect(() => text(value)).toThrow(expect.objectContaining({ message: "nests deeper than 50 levels" }));
    expect(() => text(value)).toThrow(expect.objectContaining({ pointer: "/a".repeat(50) }));
  });

  test("if it is too long, also where one object is in many places", () => {
    let value: unknown = "x".repeat(100);
    for (let n = 0; n < 30; n++) value = [value, value];
    expect(() => text({ info: value })).toThrow("makes a text of more than 1000000 characters");
  });

  test("if it is a number that JSON does not have", () => {
    expect(() => text({ info: { version: Number.NaN } })).toThrow(
      expect.objectContaining({ message: "is NaN, which JSON does not have", pointer: "/info/version" }),
    );
  });
});
