import type { NormalizedEndpoint, ScanRun } from "@waymark/shared/scans/schema.ts";
import { expect, test } from "vitest";
import { describeBreaking, describeChange, describeTotal, labelOf } from "./describe-changes.ts";

const ENDPOINT: NormalizedEndpoint = {
  method: "GET",
  path: "/books",
  operationId: "listBooks",
  tags: ["shelf", "books"],
  summary: null,
};
test.each<[string, Partial<NormalizedEndpoint>, string]>([
  ["nothing", {}, ""],
  ["a summary that came", { summary: "Lists books" }, "summary: none → Lists books"],
  ["an operation that went", { operationId: null }, "operationId: listBooks → none"],
  ["tags in another order", { tags: ["books", "shelf"] }, "tags: shelf, books → books, shelf"],
  ["tags that went", { tags: [] }, "tags: shelf, books → none"],
  [
    "two fields",
    { operationId: "books", summary: "All" },
    "operationId: listBooks → books; summary: none → All",
  ],
])("what changed of an endpoint: %s", (_what, change, words) => {
  expect(describeChange(ENDPOINT, { ...ENDPOINT, ...change })).toBe(words);
});

test("no change is a statement about what was found, and breaking changes are counted", () => {
  expect(describeTotal(0)).toBe("No change was found since");
  expect(describeTotal(1200)).toBe("1,200 changes since");
  const renamed = { before: ENDPOINT, after: { ...ENDPOINT, operationId: "other" } };
  const endpoints = { added: [], removed: [ENDPOINT], changed: [renamed] };
  expect(describeBreaking({ endpoints })).toBe("2 of them break clients.");
  expect(describeBreaking({ endpoints: { ...endpoints, changed: [] } })).toBe("1 of them breaks clients.");
  expect(describeBreaking({ endpoints: { added: [ENDPOINT], removed: [], changed: [] } })).toBe("");
});

test("a run's label has its specification only where it has a name", () => {
  const run = {
    createdAt: "2026-03-14T12:00:00.000Z",
    spec: { title: "Bookshop", version: "2.0" },
    endpointCount: 7,
    findingCount: 1,
  } as ScanRun;
  expect(labelOf(run)).toMatch(/2026.* · Bookshop 2\.0 · 7 endpoints, 1 finding$/);
  expect(labelOf({ ...run, status: "completed", promoted: false })).toMatch(/1 finding · not promoted$/);
  const unnamed = { ...run, spec: { ...run.spec, title: null, version: null } };
  expect(labelOf(unnamed).split(" · ")).toHaveLength(2);
});
