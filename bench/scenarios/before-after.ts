import path from "node:path";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import type { Figure, Finding } from "../support/report.ts";
import { figuresOf, ratios } from "../support/rounds.ts";
import type { Scenario } from "../support/scenario.ts";
import { type Comparison, compareSides } from "../support/sides.ts";
import { BEFORE_AFTER } from "../support/targets.ts";

const MEASUREMENTS = {
  "201": [
    ["p50", "ms", BEFORE_AFTER.p50],
    ["p99", "ms", BEFORE_AFTER.p99],
  ],
  persisted: [["perSecond", "1/s", BEFORE_AFTER.persisted]],
} as const;

/** Compares this checkout with another one of the same project, with installed packages: the cost or gain of a change. */
export const measureBeforeAfter: Scenario = async (environment, { rounds, before: folder }) => {
  if (folder === undefined) throw new Error("say which checkout came before: --before ../folder");
  const sides = [
    { name: "before", folder: path.resolve(folder) },
    { name: "after", folder: root },
  ] as const;
  const comparisons = await compareSides(environment, sides, rounds);
  return {
    scenario: "before-after",
    figures: comparisons.flatMap(toFigures),
    findings: comparisons.flatMap(findingsOf),
  };
};

function toFigures({ size, kind, what, samples }: Comparison): Figure[] {
  const measurements = MEASUREMENTS[what].map(([name, unit]) => [name, unit] as const);
  return figuresOf(samples, measurements, (side) => `${size.name}, ${kind}, ${what}: ${side}`);
}

function findingsOf({ size, kind, what, samples }: Comparison): Finding[] {
  return MEASUREMENTS[what].map(([measurement, , target]) => ({
    target,
    note: `${size.name}, ${kind}`,
    values: ratios(samples, measurement, "after", "before"),
  }));
}
