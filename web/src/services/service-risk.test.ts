import type { Service, TrendPoint } from "@waymark/shared/services/schema.ts";
import { sampleService } from "@waymark/test-support/sample-service.ts";
import { expect, test } from "vitest";
import { compareRisk, concernsOf, countConcerns, describeChange, lastChangeOf } from "./service-risk.ts";

const NOW = Date.parse("2026-03-10T00:00:00.000Z");
const point = (day: number, endpointCount: number, findingCount = 0): TrendPoint => ({
  scanRunId: `run-${day}`,
  scannedAt: new Date(Date.UTC(2026, 2, day)).toISOString(),
  endpointCount,
  findingCount,
});
const counts = { info: 0, low: 0, medium: 0, high: 0, critical: 0 };
const service = (name: string, rest: Partial<Service> = {}) =>
  sampleService({
    id: name,
    name,
    currentScanRunId: "run",
    lastScannedAt: "2026-03-01T00:00:00.000Z",
    endpointCount: 1,
    findingCount: 0,
    findingsBySeverity: counts,
    decidedBySeverity: counts,
    overdueFindingCount: 0,
    ...rest,
  });

const failed = {
  scanRunId: "f",
  scannedAt: "2026-03-02T00:00:00.000Z",
  error: { code: "c", message: "m" },
};
const held = { scanRunId: "h", scannedAt: "2026-03-02T00:00:00.000Z", source: null, failedGates: [] };
const calm = service("calm", { trend: [point(1, 3), point(9, 4)] });
const grave = service("grave", { lastFailedScan: failed, findingsBySeverity: { ...counts, critical: 1 } });
const gated = service("gated", { lastHeldScan: held });
const critical = service("critical", { findingsBySeverity: { ...counts, critical: 2 } });
const high = service("high", { findingsBySeverity: { ...counts, high: 9 } });
const fewer = service("fewer", { trend: [point(8, 5), point(9, 4)] });

test("the last change is that of the last run whose counts differ from those before it", () => {
  expect(lastChangeOf([])).toBeNull();
  expect(lastChangeOf([point(1, 3), point(2, 3)])).toBeNull();
  const change = lastChangeOf([point(1, 3, 2), point(2, 1, 3), point(3, 1, 3)]);
  expect(change).toEqual({ at: point(2, 0).scannedAt, endpoints: -2, findings: 1 });
  expect(change && describeChange(change)).toBe("−2 endpoints, +1 finding");
  expect(describeChange({ at: "", endpoints: 0, findings: -1 })).toBe("−1 finding");
});

test("a service needs attention for what is wrong now, and for endpoints that it lost within a week", () => {
  expect(concernsOf(calm, NOW)).toEqual([]);
  expect(concernsOf(grave, NOW)).toEqual(["failed", "critical"]);
  expect(concernsOf(gated, NOW)).toEqual(["held"]);
  expect(concernsOf(fewer, NOW)).toEqual(["fewer"]);
  expect(concernsOf(fewer, NOW + 7 * 24 * 3600 * 1000)).toEqual([]);
});

test("findings that somebody has decided about need no attention", () => {
  const decided = { ...critical, decidedBySeverity: { ...counts, critical: 2 } };
  expect(concernsOf(decided, NOW)).toEqual([]);
  expect(concernsOf({ ...critical, decidedBySeverity: { ...counts, critical: 1 } }, NOW)).toEqual([
    "critical",
  ]);
  expect(compareRisk(decided, high, NOW)).toBeLessThan(0);
});

test("overdue findings need attention, whatever their severity", () => {
  const late = { ...high, overdueFindingCount: 1 };
  expect(concernsOf(late, NOW)).toEqual(["overdue"]);
  expect(concernsOf({ ...critical, overdueFindingCount: 1 }, NOW)).toEqual(["critical", "overdue"]);
  expect(compareRisk(high, late, NOW)).toBeLessThan(0);
});

test("the worst comes last in ascending order", () => {
  const all = [grave, high, calm, critical, fewer, gated];
  expect(all.toSorted((a, b) => compareRisk(a, b, NOW)).map(({ name }) => name)).toEqual([
    "calm",
    "high",
    "fewer",
    "critical",
    "gated",
    "grave",
  ]);
});

test("concerns are counted, those that no service has are left out", () => {
  expect(countConcerns([calm], NOW)).toEqual([]);
  expect(countConcerns([calm, grave, critical], NOW).map(({ label }) => label)).toEqual([
    "last scan failed (1)",
    "critical findings (2)",
  ]);
});
