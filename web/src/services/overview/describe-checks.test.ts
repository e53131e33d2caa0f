import { expect, it } from "vitest";
import { describeChecks } from "./describe-checks.ts";

const READABLE = {
  failingJourneys: [],
  recoveredJourneys: [],
  troubledSchedules: [],
  expiringKeys: [],
  refusedKeys: [],
};
const OVERVIEW = {
  ...READABLE,
  serviceCount: 12,
  pendingServiceCount: 0,
  recentRuns: { compared: 3, notCompared: 0 },
};

it("names what was looked at, and nothing else", () => {
  expect(describeChecks(OVERVIEW, { isFiltered: false })).toEqual({
    checked:
      "the last scans and the findings of 12 services, 3 comparisons of the last 7 days, journeys, schedules and keys",
    unknown: [],
  });
  const alone = { ...OVERVIEW, recentRuns: { compared: 0, notCompared: 0 } };
  expect(describeChecks(alone, { isFiltered: true }).checked).toBe(
    "the last scans and the findings of 12 services",
  );
});

it("says of each part that is not known that it is not", () => {
  const unknown = {
    ...OVERVIEW,
    failingJourneys: null,
    expiringKeys: null,
    pendingServiceCount: 1,
    recentRuns: { compared: 0, notCompared: 2 },
  };
  expect(describeChecks(unknown, { isFiltered: false })).toEqual({
    checked: "the last scans and the findings of 12 services",
    unknown: [
      "1 service is still being evaluated.",
      "In the last 7 days, 2 of 2 runs were not compared: what they break is not known.",
      "You may not read journeys and keys: it is not known whether they need attention.",
    ],
  });
});
