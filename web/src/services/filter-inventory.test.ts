import type { ServiceEndpoint } from "@waymark/shared/scans/schema.ts";
import { expect, test } from "vitest";
import { filterInventory } from "./filter-inventory.ts";

const endpoint = (path: string, rest: Partial<ServiceEndpoint> = {}): ServiceEndpoint => ({
  method: "GET",
  path,
  operationId: null,
  tags: [],
  summary: null,
  firstSeenAt: "2026-01-01T00:00:00.000Z",
  lastSeenAt: "2026-03-01T00:00:00.000Z",
  ...rest,
});
const ENDPOINTS = [
  endpoint("/books", { tags: ["Shelf"], firstSeenAt: "2026-02-01T00:00:00.000Z" }),
  endpoint("/books", { method: "POST", operationId: "addBook", lastSeenAt: "2026-02-28T00:00:00.000Z" }),
  endpoint("/authors", { summary: "Who wrote a book" }),
];
const shown = (text: string, method: string, order = "") =>
  filterInventory(ENDPOINTS, { text, method }, order).map((each) => `${each.method} ${each.path}`);

test("endpoints are found by path, operation, summary and tag, and by method", () => {
  expect(shown("/BOOKS", "")).toEqual(["GET /books", "POST /books"]);
  expect(shown("addbook", "")).toEqual(["POST /books"]);
  expect(shown("wrote", "")).toEqual(["GET /authors"]);
  expect(shown("shelf", "")).toEqual(["GET /books"]);
  expect(shown("", "POST")).toEqual(["POST /books"]);
  expect(shown("authors", "POST")).toEqual([]);
});

test.each([
  ["path", ["GET /authors", "GET /books", "POST /books"]],
  ["-method", ["POST /books", "GET /books", "GET /authors"]],
  ["-firstSeenAt", ["GET /books", "POST /books", "GET /authors"]],
  ["lastSeenAt", ["POST /books", "GET /books", "GET /authors"]],
])("sorted by %s", (order, expected) => {
  expect(shown("", "", order)).toEqual(expected);
});
