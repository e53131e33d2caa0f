import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { averageCost, costsOf, type Measured } from "../../bench/capacity/cost.ts";
import { capacityPage } from "../../bench/capacity/page.ts";
import { findShape, longestWait } from "../../bench/capacity/shape.ts";
import { simulateArrivals, STEP_S, WORKLOAD } from "../../bench/capacity/workload.ts";
import { root } from "../../scripts/bootstrap/checkout.mjs";

const measured = JSON.parse(readFileSync(path.join(root, "bench/capacity/figures.json"), "utf8")) as Measured;
const average = averageCost(costsOf(measured));

it("docs/reports/capacity.md is what the measured figures give", async () => {
  await expect(capacityPage(measured)).toMatchFileSnapshot(path.join(root, "docs/reports/capacity.md"));
});

describe("the simulated day", () => {
  const perOrganization = WORKLOAD.services * WORKLOAD.scansPerServiceAndDay;

  it("has the scans of its organizations, bursts after full hours, and the same ones each time", () => {
    const arrivals = simulateArrivals(100, 1);
    const total = arrivals.reduce((sum, count) => sum + count, 0);
    expect(Math.abs(total / (100 * perOrganization) - 1)).toBeLessThan(0.01);
    const at = (minute: number) => arrivals[(minute * 60) / STEP_S] ?? 0;
    expect(at(12 * 60 + 1)).toBeGreaterThan(2 * at(12 * 60 + 30));
    expect(simulateArrivals(100, 1)).toEqual(arrivals);
    expect(simulateArrivals(100, 2)).not.toEqual(arrivals);
  });
});

describe("the shape", () => {
  it("lets a queue wait for what a server can't work off in time", () => {
    // 70 % of a processor work off 7 s in each step of 10 s.
    expect(longestWait(Float64Array.of(7_000, 7_000), { workMs: 1, processors: 1 })).toBe(0);
    expect(longestWait(Float64Array.of(14_000, 14_000, 0), { workMs: 1, processors: 1 })).toBeCloseTo(20);
    expect(longestWait(Float64Array.of(14_000, 0), { workMs: 1, processors: 2 })).toBe(0);
  });

  it("needs more servers for more organizations, and for scans that take more disk", () => {
    const [small, large] = [findShape(100, average), findShape(2_000, average)];
    expect(large.shards).toBeGreaterThan(small.shards);
    expect(large.dollarsPerMonth.processors).toBeGreaterThan(small.dollarsPerMonth.processors);
    const heavy = findShape(100, { ...average, disk: average.disk * 20 });
    expect(heavy.shards).toBeGreaterThan(small.shards);
  });

  it("has larger servers where a scan takes more processor time", () => {
    const busy = findShape(100, { ...average, postgres: average.postgres * 20 });
    expect(busy.postgresProcessors * busy.shards).toBeGreaterThan(2);
    expect(busy.longestWaitS).toBeLessThanOrEqual(30);
  });
});
