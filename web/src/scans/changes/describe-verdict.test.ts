import type { Comparison } from "@waymark/shared/scans/comparisons/schema.ts";
import { expect, test } from "vitest";
import { describeOtherVerdict, describeVerdict } from "./describe-verdict.ts";

const comparison = (breaking: number): Comparison => ({
  status: "compared",
  reason: null,
  against: "before",
  counts: { breaking, maybe: 0, safe: 1, approved: 0 },
  notListed: 0,
  notCompared: [],
  comparedAt: "2026-01-31T00:00:00Z",
  rules: { version: 2, latest: 2 },
});
const gate = (name: string, passed: boolean) => ({ gate: name, passed, causeCount: passed ? 0 : 1 });

const wordsOf = (
  ...[breaking, brokenCount, gates]: [number, number | undefined, ReturnType<typeof gate>[] | null]
) => {
  const words = describeVerdict({ comparison: comparison(breaking), brokenCount, gates });
  return [words.tone, words.clients, words.journeys, words.gates];
};

test("a verdict names clients, journeys and gates", () => {
  const gates = [gate("--fail-on high", false), gate("--fail-on-removed", false), gate("--max 3", true)];
  expect(wordsOf(3, 2, gates)).toEqual([
    "breaks",
    "Breaks clients: 3 changes",
    "breaks 2 journeys",
    "gates --fail-on high, --fail-on-removed failed",
  ]);
});

test("nothing looks good while a journey breaks or a gate failed", () => {
  expect(wordsOf(0, 1, null)[0]).toBe("breaks");
  expect(wordsOf(0, 0, [gate("--fail-on high", false)])).toContain("gate --fail-on high failed");
  expect(wordsOf(0, 0, [gate("--fail-on high", false)])[0]).toBe("breaks");
});

test("what is not known is said, and nothing looks good while it is not known which journeys break", () => {
  expect(wordsOf(0, undefined, null)).toEqual([
    "open",
    "Breaks clients: nothing",
    "broken journeys are not known",
    "no gate was reported",
  ]);
  expect(wordsOf(1, undefined, null)[0]).toBe("breaks");
  expect(wordsOf(0, 0, [gate("--fail-on high", true)])).toEqual([
    "fine",
    "Breaks clients: nothing",
    undefined,
    "passed --fail-on high",
  ]);
});

test("a verdict on a comparison with any other run has its clients alone, and says what it leaves out", () => {
  expect(describeOtherVerdict(comparison(2))).toEqual({
    tone: "breaks",
    clients: "Breaks clients: 2 changes",
    journeys: undefined,
    gates: undefined,
    detail:
      "1 change breaks no client. Journeys, gates and approvals are of the comparison with the previous run.",
  });
});
