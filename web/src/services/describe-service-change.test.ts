import type { ServiceChange } from "@waymark/shared/services/schema.ts";
import { expect, test } from "vitest";
import { comparisonOf, describeEffect, describeServiceChange } from "./describe-service-change.ts";

const NONE: ServiceChange = {
  scanRunId: "after",
  against: "before",
  scannedAt: "2026-03-14T12:00:00.000Z",
  createdByKeyId: "key",
  source: null,
  endpoints: { added: 0, removed: 0, changed: 0 },
  findings: { new: 0, fixed: 0, removedWithEndpoint: 0, severityChanged: 0 },
  breaking: 0,
  comparison: {
    status: "not_compared",
    reason: "no_description",
    against: "before",
    counts: null,
    notListed: 0,
    notCompared: [],
    comparedAt: null,
    rules: null,
  },
};

test("a change has its counts in words, without those that are zero", () => {
  expect(
    describeServiceChange({
      ...NONE,
      endpoints: { added: 0, removed: 3, changed: 1 },
      findings: { new: 2, fixed: 0, removedWithEndpoint: 0, severityChanged: 0 },
    }),
  ).toBe("−3 endpoints, 1 endpoint changed, +2 findings");
  expect(
    describeServiceChange({
      ...NONE,
      endpoints: { added: 1, removed: 0, changed: 0 },
      findings: { new: 0, fixed: 1, removedWithEndpoint: 2, severityChanged: 2 },
    }),
  ).toBe("+1 endpoint, −3 findings, severity of 2 findings changed");
});

test("the first run is a scan of everything, compared with nothing", () => {
  const first = { ...NONE, against: null, endpoints: { added: 12, removed: 0, changed: 0 } };
  expect(describeServiceChange(first)).toBe("First scan: 12 endpoints, 0 findings");
  expect(comparisonOf(first)).toBe("/scan-runs/after?tab=changes");
  expect(comparisonOf(NONE)).toBe("/scan-runs/after?tab=changes&against=before");
});

test("a change of nothing but the description has a name", () => {
  expect(describeServiceChange(NONE)).toBe("The description changed");
});

const compared = (counts: Partial<NonNullable<ServiceChange["comparison"]["counts"]>>, notCompared = 0) =>
  describeEffect({
    breaking: 9,
    comparison: {
      ...NONE.comparison,
      status: "compared",
      reason: null,
      counts: { breaking: 0, maybe: 0, safe: 0, approved: 0, ...counts },
      notCompared: Array.from({ length: notCompared }, () => ({ message: "a file", place: null })),
    },
  });

test("the verdicts say what a change does to clients, whatever happened to its endpoints", () => {
  expect(compared({ breaking: 2, approved: 1 })).toEqual({
    tone: "breaks",
    words: "2 changes break clients, 1 approved",
  });
  expect(compared({ maybe: 1 })).toEqual({ tone: "maybe", words: "1 change may break clients" });
  expect(compared({ safe: 3 })).toEqual({ tone: "none", words: "breaks no client" });
  expect(compared({ safe: 3 }, 1).words).toBe("no break found in the parts that were compared");
});

test("without a comparison, removed endpoints break clients, and nothing is called safe", () => {
  expect(describeEffect({ ...NONE, breaking: 1 })).toEqual({
    tone: "breaks",
    words: "1 change breaking clients",
  });
  expect(describeEffect(NONE).words).toBe("descriptions not compared");
  const pending = { ...NONE.comparison, status: "pending", reason: null } as const;
  expect(describeEffect({ breaking: 0, comparison: pending }).words).toBe(
    "the descriptions are being compared",
  );
});
