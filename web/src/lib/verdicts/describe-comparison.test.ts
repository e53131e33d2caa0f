import type { Comparison } from "@waymark/shared/scans/comparisons/schema.ts";
import { expect, test } from "vitest";
import { describeComparison } from "./describe-comparison.ts";

const counted = (
  counts: Partial<NonNullable<Comparison["counts"]>>,
  more: Partial<Comparison> = {},
): Comparison => ({
  status: "compared",
  reason: null,
  against: "before",
  counts: { breaking: 0, maybe: 0, safe: 0, approved: 0, ...counts },
  notListed: 0,
  notCompared: [],
  comparedAt: "2026-01-31T00:00:00Z",
  rules: { version: 2, latest: 2 },
  ...more,
});
const unread = { message: "The file other.yaml was not read.", place: null };

test.each<[what: string, comparison: Comparison, headline: string, tone: string]>([
  ["one break", counted({ breaking: 1 }), "Breaks clients: 1 change", "breaks"],
  ["breaks", counted({ breaking: 2, maybe: 1, safe: 3 }), "Breaks clients: 2 changes", "breaks"],
  ["doubts", counted({ maybe: 2 }), "2 changes may break clients", "open"],
  ["no break", counted({ safe: 4 }), "Breaks clients: nothing", "fine"],
  ["no change", counted({}, { comparedAt: null }), "Breaks clients: nothing", "fine"],
  [
    "no break in a part",
    counted({}, { notCompared: [unread] }),
    "No break was found in the parts that were compared",
    "open",
  ],
  [
    "nothing yet",
    { ...counted({}), status: "pending", counts: null },
    "The descriptions are being compared",
    "open",
  ],
  [
    "no description",
    { ...counted({}), status: "not_compared", reason: "no_description", counts: null },
    "Not compared: this run has no description",
    "open",
  ],
])("a comparison that found %s says so first", (_what, comparison, headline, tone) => {
  expect(describeComparison(comparison)).toMatchObject({ headline, tone });
});

test.each(["no_base", "no_description", "no_base_description", "too_large", "failed"] as const)(
  "a comparison that was not made (%s) says why and what to do, and never that nothing breaks",
  (reason) => {
    const words = describeComparison({ ...counted({}), status: "not_compared", reason, counts: null });
    expect(words.headline).toMatch(/^Not compared: ./);
    expect(words.detail).not.toBe("");
    expect(JSON.stringify(words)).not.toContain("nothing");
  },
);

test("a comparison that is not finished says for how long the page looks for it, and what to do then", () => {
  const { detail } = describeComparison({ ...counted({}), status: "pending", counts: null });
  expect(detail).toContain("This page looks for the result for ten minutes; after that, reload it.");
});

test("what else was found stands beside the breaks", () => {
  expect(describeComparison(counted({ breaking: 2, maybe: 1, safe: 1, approved: 1 })).detail).toBe(
    "1 further change may break clients. 1 change breaks no client. 1 of 3 is approved.",
  );
});

test("verdicts of older rules say so", () => {
  const { detail } = describeComparison(counted({ safe: 1 }, { rules: { version: 1, latest: 2 } }));
  expect(detail).toContain("Version 1 of the rules judged this; Waymark has version 2 now.");
});
