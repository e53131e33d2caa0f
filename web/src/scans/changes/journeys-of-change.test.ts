import { expect, test } from "vitest";
import type { ChangeCard } from "./change-cards.ts";
import { journeysOf } from "./journeys-of-change.ts";

const card = (path: string, more: Partial<ChangeCard> = {}): ChangeCard => ({
  key: path,
  level: "maybe",
  operations: [{ method: "GET", path, kind: "operation" }],
  operationCount: 1,
  verdicts: [],
  endpoint: undefined,
  ...more,
});
const journey = (id: string, path: string) => ({
  id,
  path: id,
  title: null,
  operations: [{ method: "GET", path, operationId: null, isInInventory: true }],
});

test("journeys call what changed if they call its operation, whatever its parameters are called", () => {
  const journeys = [journey("one", "/a/{key}"), journey("two", "/b"), journey("three", "/c")];
  const cards = [card("/a/{id}"), card("/c", { level: "documentation" })];
  expect(journeysOf(journeys, cards).map(({ id }) => id)).toEqual(["one"]);
});
