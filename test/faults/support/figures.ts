import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";

/** The figures of one test, in the order of the report. */
export type Figures = Record<string, number | string>;

/**
 * Prints a test's figures, and stores them for the report of `npm run test:faults`.
 *
 * @param section the report's heading
 */
export function recordFigures(section: string, figures: Figures): void {
  const text = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  process.stdout.write(`faults: ${section}: ${text.join(", ")}\n`);
  const folder = process.env["WAYMARK_FAULT_FIGURES"];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${section.replaceAll(/[^a-z0-9]+/gi, "-").toLowerCase()}.json`);
  // Renamed when complete, because the report may be reading it.
  writeFileSync(`${file}.part`, JSON.stringify({ section, figures }));
  renameSync(`${file}.part`, file);
}

/** The value below which `share` (0 to 1) of them are. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
