import { expect, test } from "vitest";
import type { DescriptionIndex, OperationSummary } from "../lib/description/messages.ts";
import { filterOperations } from "./filter-operations.ts";

const operation = (path: string, tags: readonly string[]): OperationSummary => ({
  method: "GET",
  path,
  kind: "operation",
  operationId: null,
  summary: null,
  tags,
  deprecated: false,
});
const indexOf = (operations: readonly OperationSummary[], tags: readonly string[]): DescriptionIndex => ({
  title: "T",
  version: "1",
  language: "OpenAPI 3.1.0",
  description: null,
  servers: [],
  tags: tags.map((name) => ({ name, description: null })),
  operations,
  schemas: [
    {
      name: "Book",
      schema: { type: "object", facts: [], description: null, deprecated: false, opens: null },
    },
  ],
});

test("operations are in the section of each of their tags, those without one last, and empty sections are left out", () => {
  const index = indexOf([operation("/a", ["b", "a", "b"]), operation("/c", [])], ["a", "b", "unused"]);
  const { sections, operationCount } = filterOperations(index, "");
  expect(sections.map(({ title, operations }) => [title, operations.length])).toEqual([
    ["a", 1],
    ["b", 1],
    ["Without a tag", 1],
  ]);
  expect(operationCount).toBe(2);
});

test("a text finds operations by path, and schemas by name", () => {
  const index = indexOf([operation("/books", []), operation("/authors", [])], []);
  expect(filterOperations(index, " get /BOOKS ").operationCount).toBe(1);
  expect(filterOperations(index, "book").schemas).toHaveLength(1);
  expect(filterOperations(index, "author").schemas).toEqual([]);
});

test("a large description shows its first operations only, and all of its sections", () => {
  const tags = Array.from({ length: 40 }, (_, n) => `t${n}`);
  const operations = Array.from({ length: 2000 }, (_, n) => operation(`/${n}`, [`t${n % 40}`]));
  const { sections } = filterOperations(indexOf(operations, tags), "");
  expect(sections).toHaveLength(40);
  expect(sections.reduce((sum, { first }) => sum + first, 0)).toBe(150);
});
