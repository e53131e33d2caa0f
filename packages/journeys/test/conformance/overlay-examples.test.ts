import { describe, expect, test } from "vitest";
import type { JsonValue } from "@waymark/openapi/json.ts";
import { applyAction } from "../../src/overlay/apply-action.ts";
import type { OverlayAction } from "../../src/overlay/model.ts";
import { treeOf, valueOf } from "../../src/overlay/tree.ts";

/** The document after the actions of a standard overlay, or the codes of its errors. */
function after(document: JsonValue, actions: OverlayAction[]): JsonValue | string[] {
  const root = treeOf(document, 0, "");
  const origin = (index: number) => ({ layer: 1, pointer: `/actions/${index}` });
  const faults = actions
    .flatMap((action, index) => applyAction(root, action, origin(index), { profile: "standard" }).faults)
    .filter(({ severity }) => severity === "error");
  return faults.length > 0 ? faults.map(({ code }) => code) : valueOf(root);
}

const API = {
  info: { title: "Shop", version: "1" },
  paths: {
    "/items": {
      get: { operationId: "items", tags: ["a"], parameters: [{ name: "dummy", in: "query" }] },
      post: { operationId: "add" },
    },
    "/orders": {
      get: { operationId: "orders", "x-traits": ["paged"], parameters: [{ name: "id", in: "query" }] },
    },
  },
} satisfies JsonValue;

// The kinds of example that the Overlay specification 1.1 has, each on a document of our own.
describe("the Overlay specification's examples", () => {
  test("Structured Overlay: one action on the root merges a tree of the document's shape", () => {
    const update = { info: { description: "All of it" }, paths: { "/items": { post: { summary: "Adds" } } } };
    const result = after(API, [{ target: "$", update }]);
    expect(result).toMatchObject({
      info: { title: "Shop", version: "1", description: "All of it" },
      paths: { "/items": { post: { operationId: "add", summary: "Adds" } } },
    });
  });

  test("Targeted Overlay: each action reaches one place", () => {
    const result = after(API, [
      { target: "$.paths['/items'].get", update: { description: "Lists" } },
      { target: "$.paths['/orders'].get", update: { description: "Orders" } },
    ]);
    expect(result).toMatchObject({
      paths: { "/items": { get: { description: "Lists" } }, "/orders": { get: { description: "Orders" } } },
    });
  });

  test("Wildcard Overlay: an update reaches every match", () => {
    const result = after(API, [{ target: "$.paths.*.get", update: { "x-safe": true } }]);
    expect(result).toMatchObject({
      paths: { "/items": { get: { "x-safe": true } }, "/orders": { get: { "x-safe": true } } },
    });
    expect(result).toHaveProperty(["paths", "/items", "post"], { operationId: "add" });
  });

  test("Adding an Array Element: an update of a list is appended", () => {
    const added = { name: "page", in: "query" };
    const result = after(API, [{ target: "$.paths.*.get.parameters", update: added }]);
    expect(result).toHaveProperty(
      ["paths", "/items", "get", "parameters"],
      [{ name: "dummy", in: "query" }, added],
    );
  });

  test("Removing an Array Element: a filter names it", () => {
    const target = "$.paths[*].get.parameters[?@.name == 'dummy']";
    const result = after(API, [{ target, remove: true }]);
    expect(result).toHaveProperty(["paths", "/items", "get", "parameters"], []);
    expect(result).toHaveProperty(["paths", "/orders", "get", "parameters"], [{ name: "id", in: "query" }]);
  });

  test("Traits: what an operation says of itself selects it", () => {
    const target = "$.paths.*.get[?@=='never']";
    expect(after(API, [{ target, remove: true }])).toEqual(API);
    const paged = "$.paths.*[?@['x-traits'][?@ == 'paged']]";
    const result = after(API, [
      { target: paged, update: { responses: { "200": { description: "A page" } } } },
    ]);
    expect(result).toHaveProperty(["paths", "/orders", "get", "responses", "200", "description"], "A page");
    expect(result).not.toHaveProperty(["paths", "/items", "get", "responses"]);
  });

  test("Copy, and copy with removal as a move", () => {
    const result = after(API, [
      { target: "$.paths['/orders']", copy: "$.paths['/items']" },
      { target: "$.paths['/items']", remove: true },
    ]);
    expect(result).toEqual({
      info: API.info,
      paths: {
        "/orders": {
          get: {
            operationId: "items",
            tags: ["a"],
            "x-traits": ["paged"],
            parameters: [
              { name: "id", in: "query" },
              { name: "dummy", in: "query" },
            ],
          },
          post: { operationId: "add" },
        },
      },
    });
  });

  test("a primitive is replaced, and two kinds never merge", () => {
    expect(after(API, [{ target: "$.info.title", update: "Store" }])).toMatchObject({
      info: { title: "Store" },
    });
    expect(after(API, [{ target: "$.info", update: ["x"] }])).toEqual(["overlay-mismatch"]);
    const mixed = "$.paths['/items'].get.*";
    expect(after(API, [{ target: mixed, update: "x" }])).toEqual(["overlay-mixed"]);
  });

  test("actions work on what the actions before them made", () => {
    const result = after(API, [
      { target: "$.paths", update: { "/new": { get: {} } } },
      { target: "$.paths['/new'].get", update: { operationId: "fresh" } },
    ]);
    expect(result).toHaveProperty(["paths", "/new", "get", "operationId"], "fresh");
  });
});
