import type { OverviewDay } from "@waymark/shared/services/overview/schema.ts";
import { describe, expect, it } from "vitest";
import { trendPath } from "./trend-path.ts";
import { describeValues, percentOf, trendOf } from "./trend-values.ts";

const day = (text: string, gateFailureCount: number | null): OverviewDay => ({
  day: text,
  breakingServiceCount: 0,
  gateFailureCount,
  mustCriteria: null,
  endpoints: null,
});
const valueOf = ({ gateFailureCount }: OverviewDay) => gateFailureCount;

describe("trendOf", () => {
  it("has the recorded days in their places, nothing for the others, and the number of now for today", () => {
    const recorded = [
      day("2026-08-31", 9),
      day("2026-09-01", 4),
      day("2026-11-27", null),
      day("2026-11-26", 2),
    ];
    const values = trendOf(recorded, { today: "2026-11-28", now: 3, valueOf });
    expect(values).toHaveLength(90);
    expect(values.slice(0, 3)).toEqual([9, 4, null]);
    expect(values.slice(-3)).toEqual([2, null, 3]);
    expect(values.filter((value) => value !== null)).toHaveLength(4);
  });

  it("has nothing for today where the number of now is not known", () => {
    const values = trendOf([day("2026-11-28", 7)], { today: "2026-11-28", now: null, valueOf });
    expect(new Set(values)).toEqual(new Set([null]));
  });
});

describe("trendPath", () => {
  it("draws no line through days that are not known, and a point for one between them", () => {
    const box = { width: 60, height: 10, edge: 5 };
    expect(trendPath([1, 5, null, 0, null, 2, 2], box)).toBe("M0 8L10 0M30 10h0.01M50 6L60 6");
    expect(trendPath([null, null], box)).toBe("");
    expect(trendPath([5], box)).toBe("M0 0h0.01");
  });
});

describe("describeValues", () => {
  it("says how many days are not known", () => {
    const textOf = (value: number) => `${value} %`;
    expect(describeValues([1, 4, 3], textOf)).toBe("From 1 % to 3 % in the last 3 days, at most 4 %.");
    expect(describeValues([null, 4, 3], textOf)).toBe(
      "From 4 % to 3 % in the last 3 days, at most 4 %. 1 day is not known.",
    );
    expect(describeValues([null, null], textOf)).toBe("No day is known yet.");
  });
});

it("a share of everything is 100 %, one of something at least 1 %, and one of nothing is not known", () => {
  expect(percentOf({ covered: 999, total: 1000 })).toBe(99);
  expect(percentOf({ covered: 1, total: 1000 })).toBe(1);
  expect(percentOf({ covered: 0, total: 3 })).toBe(0);
  expect(percentOf({ covered: 0, total: 0 })).toBeNull();
  expect(percentOf(null)).toBeNull();
});
