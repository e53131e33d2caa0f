import type { Verdict } from "@waymark/shared/scans/comparisons/schema.ts";
import { expect, test } from "vitest";
import { groupVerdicts, isGone, needsApproval, verdictsOf } from "./group-verdicts.ts";

const verdict = (message: string, paths: readonly string[], more: Partial<Verdict> = {}): Verdict => ({
  id: "response-property-removed",
  level: "breaking",
  direction: "response",
  message,
  at: "response 200",
  operations: paths.map((path) => ({ method: "GET", path, kind: "operation" })),
  operationCount: paths.length,
  before: null,
  after: null,
  reason: null,
  base: null,
  head: null,
  fingerprint: "0123456789abcdef0123456789abcdef",
  approval: null,
  ...more,
});

test("verdicts on the same operations are together, and the most severe group stays first", () => {
  const groups = groupVerdicts([
    verdict("a", ["/a", "/b"]),
    verdict("b", ["/c"]),
    verdict("c", ["/a", "/b"], { level: "safe" }),
  ]);
  expect(groups.map(({ verdicts }) => verdicts.map(({ message }) => message))).toEqual([["a", "c"], ["b"]]);
});

test("an endpoint's verdicts are found, whatever its parameters are called", () => {
  const all = [verdict("a", ["/books/{id}"]), verdict("b", ["/books"])];
  const found = verdictsOf(all, { method: "GET", path: "/books/{isbn}" });
  expect(found.map(({ message }) => message)).toEqual(["a"]);
  expect(verdictsOf(all, { method: "PUT", path: "/books/{isbn}" })).toEqual([]);
});

test("an operation that was removed or moved is found in the description before only", () => {
  const [gone] = groupVerdicts([verdict("a", ["/a"], { id: "operation-removed-before-sunset" })]);
  const [changed] = groupVerdicts([verdict("a", ["/a"])]);
  expect([gone, changed].map((group) => group !== undefined && isGone(group))).toEqual([true, false]);
});

test("changes that break no client, and those that are approved, need no approval", () => {
  const approval = {
    reason: "r",
    until: null,
    approvedBy: "k",
    approver: null,
    approvedAt: "2026-01-31T00:00:00Z",
  };
  expect(needsApproval(verdict("a", []))).toBe(true);
  expect(needsApproval(verdict("a", [], { level: "maybe" }))).toBe(true);
  expect(needsApproval(verdict("a", [], { level: "safe" }))).toBe(false);
  expect(needsApproval(verdict("a", [], { approval }))).toBe(false);
});
