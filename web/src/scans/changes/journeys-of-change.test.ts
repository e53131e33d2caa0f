import type { Comparison } from "@waymark/shared/scans/comparisons/schema.ts";
import { expect, test } from "vitest";
import type { ChangeCard } from "./change-cards.ts";
import { areAllNamed, changedOperations, journeysOf } from "./journeys-of-change.ts";

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
  expect(journeysOf(journeys, changedOperations(cards)).map(({ id }) => id)).toEqual(["one"]);
});

test("no journey calls what is new, or has another documentation", () => {
  const after = { method: "GET" as const, path: "/new", operationId: null, summary: null, tags: [] };
  const added = card("/new", { level: "safe", endpoint: { kind: "added", after } });
  expect(changedOperations([added, card("/c", { level: "documentation" })]).size).toBe(0);
});

test("not all operations are named while verdicts are not loaded, not listed, or name the first ones only", () => {
  const comparison: Comparison = {
    status: "compared",
    reason: null,
    against: "before",
    counts: { breaking: 1, maybe: 0, safe: 0, approved: 0 },
    notListed: 0,
    notCompared: [],
    comparedAt: null,
    rules: null,
  };
  const whole = card("", { operations: [], operationCount: 0 });
  expect(areAllNamed([card("/a"), whole], { comparison })).toBe(true);
  expect(areAllNamed([card("/a")], { comparison, nextCursor: "more" })).toBe(false);
  expect(areAllNamed([card("/a")], { comparison: { ...comparison, notListed: 1 } })).toBe(false);
  expect(areAllNamed([card("/a", { operationCount: 51 })], { comparison })).toBe(false);
});
