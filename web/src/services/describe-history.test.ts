import { ofSourceFields } from "@waymark/shared/scans/source/schema.ts";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { expect, test } from "vitest";
import { branchesOf, describeHistory, isSameDay, plottedRuns } from "./describe-history.ts";

test("a plot in words has its first and its last count", () => {
  expect(describeHistory("Endpoints", [7])).toBe("Endpoints over 1 run: 7");
  expect(describeHistory("Findings", [3, 9, 0])).toBe("Findings over 3 runs: from 3 to 0");
});

test("two moments are on one day by the reader's clock", () => {
  const at = (day: number, hour: number) => new Date(2026, 2, day, hour).toISOString();
  expect(isSameDay(at(14, 0), at(14, 23))).toBe(true);
  expect(isSameDay(at(14, 23), at(15, 0))).toBe(false);
  expect(isSameDay(null, at(14, 0))).toBe(false);
  expect(isSameDay(null, null)).toBe(false);
});

test("only completed and promoted runs are plotted, the oldest first", () => {
  const run = (id: string, status: ScanRun["status"], promoted: boolean) =>
    ({ id, status, promoted }) as ScanRun;
  const { plotted, heldCount } = plottedRuns([
    run("waiting", "accepted", true),
    run("newest", "completed", true),
    run("held", "completed", false),
    run("failed", "failed", false),
    run("oldest", "completed", true),
  ]);
  expect(plotted.map(({ id }) => id)).toEqual(["oldest", "newest"]);
  expect(heldCount).toBe(1);
});

test("branches are those of the runs, the newest first, and the one that a link names", () => {
  const of = (branch: string | null) => ({ source: { ...ofSourceFields(() => null), branch } });
  const runs = [of("feature"), { source: null }, of("main"), of("feature"), of(null)];
  expect(branchesOf(runs, "")).toEqual(["feature", "main"]);
  expect(branchesOf(runs, "main")).toEqual(["feature", "main"]);
  expect(branchesOf(runs, "old")).toEqual(["feature", "main", "old"]);
});
