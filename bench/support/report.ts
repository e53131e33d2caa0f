import { cpus } from "node:os";
import { type Summary, summarize } from "./statistics.ts";
import { meets, type Target } from "./targets.ts";

/** One measured thing, round by round. */
export interface Figure {
  subject: string;
  measurement: string;
  unit: string;
  values: number[];
}

/** A target and what was measured for it, round by round. */
export interface Finding {
  target: Target;
  /** The values that were divided, where there was a choice. */
  note?: string;
  /** True for a finding that is only shown beside another one: it is never missed. */
  isShown?: boolean;
  values: number[];
}

export interface ScenarioResult {
  scenario: string;
  figures: Figure[];
  findings: Finding[];
}

export type Verdict = "goal" | "met" | "MISSED" | "shown";

export function verdictOf({ target, values, isShown = false }: Finding): Verdict {
  if (isShown) return "shown";
  const { median } = summarize(values);
  if (meets(target, median, target.goal)) return "goal";
  return meets(target, median, target.must) ? "met" : "MISSED";
}

/** The whole result as text: what was measured, then each target beside what was reached. */
export function formatResult({ scenario, figures, findings }: ScenarioResult): string {
  const measured = table(
    [scenario, "", "median", "quartiles", "unit"],
    figures.map(({ subject, measurement, unit, values }) => {
      const summary = summarize(values);
      return [subject, measurement, number(summary.median), spread(summary), unit];
    }),
  );
  if (findings.length === 0) return `\n${measured}\n`;
  const reached = table(
    ["target", "median", "quartiles", "must", "goal", ""],
    findings.map((finding) => {
      const { target, values } = finding;
      const summary = summarize(values);
      const sign = target.better === "lower" ? "≤" : "≥";
      const label = finding.note === undefined ? target.label : `${target.label} (${finding.note})`;
      return [
        label,
        number(summary.median),
        spread(summary),
        `${sign} ${target.must}`,
        `${sign} ${target.goal}`,
        verdictOf(finding),
      ];
    }),
  );
  return `\n${measured}\n\n${reached}\n`;
}

/** Returns all results as JSON. */
export function toJson(results: readonly ScenarioResult[], rounds: number): string {
  const machine = {
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    processors: cpus().length,
    model: cpus()[0]?.model,
  };
  const scenarios = results.map(({ scenario, figures, findings }) => ({
    scenario,
    figures: figures.map((figure) => ({ ...figure, ...summarize(figure.values) })),
    findings: findings.map((finding) => ({
      ...finding,
      ...summarize(finding.values),
      verdict: verdictOf(finding),
    })),
  }));
  return `${JSON.stringify({ date: new Date().toISOString(), rounds, machine, scenarios }, null, 2)}\n`;
}

function spread({ low, high }: Summary): string {
  return `${number(low)} – ${number(high)}`;
}

function number(value: number): string {
  if (value !== 0 && Math.abs(value) < 10) return value.toFixed(Math.abs(value) < 1 ? 3 : 2);
  return Math.abs(value) < 1000 ? value.toFixed(1) : Math.round(value).toLocaleString("en");
}

function table(head: string[], rows: string[][]): string {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] ?? "").length)),
  );
  const line = (row: string[]) =>
    row
      .map((cell, column) =>
        column === 0 || Number.isNaN(Number.parseFloat(cell))
          ? cell.padEnd(widths[column] ?? 0)
          : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}
