import { expect, test } from "vitest";
import {
  dereference,
  externalReferences,
  follow,
  member,
  members,
  rootOf,
  splitReference,
} from "./references.ts";
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
  const dereferenced = () => dereference(source, { value: { $ref }, file: "", pointer: "" });
  expect(dereferenced).toThrow(ReferenceError);
  expect(dereferenced).toThrow(message);
});

test.each([
  ["", "https://api.test/v1/main", "https://api.test/v1/main#/x"],
  ["", "https://api.test/v1/main", "main#/x"],
  ["", "https://api.test/v1/main", "../v1/main#/x"],
  ["part.yaml", "https://api.test/v1/main", "https://api.test/v1/main#/x"],
  ["named.yaml", "https://api.test/v1/main", "main#/x"],
  ["named.yaml", "/main", "main#/x"],
])("a reference in %j to a document whose $self is %s leads there: %s", (file, self, reference) => {
  const found = follow(
    {
      name: "s",
      url: "file:///specs/openapi.yaml",
      document: { $self: self, x: 1 },
      documents: {
        "file:///specs/part.yaml": {},
        "file:///specs/named.yaml": { $self: self.replace("main", "named"), y: 2 },
      },
    },
    reference,
    file,
  );
  expect(found).toEqual({ value: 1, file: "", pointer: "/x" });
});

test("a reference to another file by its $self leads there, and one to an unknown address is an error", () => {
  const documents = { "file:///specs/n.yaml": { $self: "https://api.test/v1/other", y: 2 } };
  const known: OpenApiSource = { name: "s", url: "file:///specs/openapi.yaml", document: {}, documents };
  expect(follow(known, "https://api.test/v1/other#/y", "")).toEqual({
    value: 2,
    file: "n.yaml",
    pointer: "/y",
  });
  expect(() => follow(known, "https://api.test/v1/unknown#/y", "")).toThrow("was not given");
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
