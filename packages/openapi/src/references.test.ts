import { expect, test } from "vitest";
import { dereference, externalReferences, member, members, rootOf, splitReference } from "./references.ts";
import type { OpenApiSource } from "./references.ts";

const source: OpenApiSource = {
  name: "shop",
  url: "file:///specs/shop.yaml",
  document: {
    paths: { "/a b": { $ref: "paths/items.yaml#/item" }, "/c": { get: { operationId: "getC" } } },
    round: { $ref: "#/trip" },
    trip: { $ref: "#/round" },
  },
  documents: {
    "paths/items.yaml": {
      item: { get: { $ref: "#/operation" } },
      operation: { operationId: "getItem", back: { $ref: "../shop.yaml#/paths/~1c/get" } },
    },
  },
};

test("a reference is followed from the file that it stands in, and back", () => {
  const paths = member(source, rootOf(source), "paths");
  const [name, item] = members(source, paths)[0] ?? [];
  expect(name).toBe("/a b");
  const operation = item && member(source, item, "get");
  expect(operation).toMatchObject({ file: "paths/items.yaml", pointer: "/operation" });
  const back = operation && member(source, operation, "back");
  expect(back).toMatchObject({ value: { operationId: "getC" }, file: "", pointer: "/paths/~1c/get" });
});

test.each([
  ["#/nowhere", "leads nowhere"],
  ["#no-pointer", "leads nowhere"],
  ["#/round", "refers to itself"],
  ["other.yaml#/a", "was not given"],
  ["http://[", "is no address"],
])("%j is a ReferenceError that says why", ($ref, message) => {
  const follow = () => dereference(source, { value: { $ref }, file: "", pointer: "" });
  expect(follow).toThrow(ReferenceError);
  expect(follow).toThrow(message);
});

test("a reference is split at its first #, and only its pointer is decoded", () => {
  expect(splitReference("a%20b.yaml#/x%20y")).toEqual({ target: "a%20b.yaml", pointer: "/x y" });
  expect(splitReference("#/100%")).toEqual({ target: "", pointer: "/100%" });
  expect(splitReference("whole.yaml")).toEqual({ target: "whole.yaml", pointer: "" });
});

test("the files that a value refers to are listed once, in circles too", () => {
  const value: Record<string, unknown> = {
    list: [{ $ref: "a.yaml#/x" }, { $ref: "a.yaml#/y" }],
    own: { $ref: "#/list" },
  };
  value["self"] = value;
  expect([...externalReferences(value)]).toEqual(["a.yaml"]);
});
