import type { Comparison } from "@waymark/shared/scans/comparisons/schema.ts";
import { ofSourceFields } from "@waymark/shared/scans/source/schema.ts";
import type { ScannedPullRequest } from "@waymark/shared/services/pull-requests/schema.ts";
import { expect, it } from "vitest";
import { itemOfPullRequest } from "./pull-request-items.ts";

const COMPARED: Comparison = {
  status: "compared",
  reason: null,
  against: "b",
  counts: { breaking: 0, maybe: 0, safe: 0, approved: 0 },
  notListed: 0,
  notCompared: [],
  comparedAt: "2026-05-01T00:00:00.000Z",
  rules: null,
};
const counts = (more: object) => ({
  ...COMPARED,
  counts: { breaking: 0, maybe: 0, safe: 0, approved: 0, ...more },
});
const pullRequest = (comparison: Comparison, failedGates: string[] = []): ScannedPullRequest => ({
  serviceId: "s",
  serviceName: "orders",
  ownerTeam: null,
  pullRequest: "812",
  scanRunId: "r",
  source: ofSourceFields(() => null),
  scannedAt: "2026-05-01T00:00:00.000Z",
  failedGates,
  comparison,
});

it.each<[Comparison, string, string]>([
  [COMPARED, "breaks nothing", "Breaks clients: nothing"],
  [counts({ breaking: 2, maybe: 1 }), "breaks clients", "Breaks clients: 2 changes"],
  [counts({ maybe: 1 }), "may break", "1 change may break clients"],
  [
    { ...COMPARED, notCompared: [{ message: "callbacks", place: null }] },
    "partly compared",
    "No break was found in the parts that were compared",
  ],
  [
    { ...COMPARED, status: "not_compared", reason: "no_description", counts: null },
    "not compared",
    "Not compared: this run has no description",
  ],
  [{ ...COMPARED, status: "pending", counts: null }, "comparing", "The descriptions are being compared"],
])("says of a pull request no more than was compared: %#", (comparison, badge, text) => {
  const item = itemOfPullRequest(pullRequest(comparison));
  expect([item.badge.text, item.text]).toEqual([badge, text]);
  const failed = itemOfPullRequest(pullRequest(comparison, ["--fail-on high"]));
  expect(failed.text).toBe(`${text}; failed --fail-on high`);
  // Green would say that all is well.
  expect(failed.badge.text).toBe(badge === "breaks nothing" ? "gate failed" : badge);
});
