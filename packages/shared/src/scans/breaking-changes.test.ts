import { expect, it } from "vitest";
import { breakingChanges, separateRenamedParameters } from "./breaking-changes.ts";
import type { NormalizedEndpoint } from "./schema.ts";

const endpoint = (path: string, operationId: string | null = null): NormalizedEndpoint => ({
  method: "GET",
  path,
  operationId,
  tags: [],
  summary: null,
});

it("removed endpoints break clients, unless only a path parameter has another name", () => {
  const removed = [endpoint("/books/{id}"), endpoint("/authors")];
  const breaking = breakingChanges({ added: [endpoint("/books/{bookId}")], removed, changed: [] });
  expect(breaking).toEqual({ removed: [endpoint("/authors")], renamed: [] });
});

it("another operationId or none breaks clients, and a first one does not", () => {
  const change = (before: string | null, after: string | null) => ({
    before: endpoint("/books", before),
    after: endpoint("/books", after),
  });
  const changed = [
    change("list", "listBooks"),
    change("list", null),
    change(null, "list"),
    change("list", "list"),
  ];
  expect(breakingChanges({ added: [], removed: [], changed }).renamed).toEqual(changed.slice(0, 2));
});

it("a renamed path parameter with another operationId breaks generated clients", () => {
  const before = endpoint("/books/{id}", "getBook");
  const after = endpoint("/books/{bookId}", "readBook");
  expect(breakingChanges({ added: [after], removed: [before], changed: [] })).toEqual({
    removed: [],
    renamed: [{ before, after }],
  });
});

it("endpoints whose path parameters were renamed are neither added nor removed", () => {
  const added = [endpoint("/books/{bookId}/pages/{n}"), endpoint("/books/{bookId}")];
  const removed = [endpoint("/books/{id}"), { ...endpoint("/books/{id}"), method: "PUT" as const }];
  expect(separateRenamedParameters({ added, removed, changed: [] })).toEqual({
    added: [added[0]],
    removed: [removed[1]],
    changed: [],
    parametersRenamed: [{ before: removed[0], after: added[1] }],
  });
});

it("an endpoint that takes the requests of two removed ones is the new name of both", () => {
  const added = [endpoint("/books/{id}")];
  const removed = [endpoint("/books/{isbn}"), endpoint("/books/{key}")];
  expect(separateRenamedParameters({ added, removed, changed: [] })).toMatchObject({
    added: [],
    removed: [],
    parametersRenamed: removed.map((before) => ({ before, after: added[0] })),
  });
});
