import type { ServiceChange } from "@waymark/shared/services/schema.ts";
import { expect, test } from "vitest";
import { comparisonOf, describeServiceChange } from "./describe-service-change.ts";

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
