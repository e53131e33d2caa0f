import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { countLines } from "../support/count-lines.ts";
import { LINES_BEFORE, LINES_BEFORE_IN_FORCE, THE_WAY } from "../support/the-way.ts";
import type { Scenario } from "../support/scenario.ts";
import { TARGETS } from "../support/targets.ts";

/** How many lines a reader of the path from the route to the rows has to read. */
export const measureLines: Scenario = async () => {
  const lines = { ts: 0, sql: 0 };
  for (const file of THE_WAY) {
    const language = file.endsWith(".sql") ? "sql" : "ts";
    lines[language] += countLines(readFileSync(path.join(root, file), "utf8"), language);
  }
  const now = lines.ts + lines.sql;
  const before = Object.values(LINES_BEFORE).reduce((total, count) => total + count, 0);
  const figure = (subject: string, measurement: string, value: number) => ({
    subject,
    measurement,
    unit: "lines",
    values: [value],
  });
  return {
    scenario: "lines",
    figures: [
      figure("now", "TypeScript", lines.ts),
      figure("now", "SQL", lines.sql),
      figure("68afb89", "all", before),
      figure("68afb89", "without superseded and unused SQL", LINES_BEFORE_IN_FORCE),
    ],
    findings: [
      { target: TARGETS.linesOnTheWay, values: [now / before] },
      {
        target: TARGETS.linesOnTheWay,
        note: "without superseded and unused SQL",
        isShown: true,
        values: [now / LINES_BEFORE_IN_FORCE],
      },
    ],
  };
};
