import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Figures of one test, in the order in which they should be read. */
export type Figures = Record<string, number | string>;

/**
 * Shows a test's figures, and keeps them where `npm run test:faults` writes its report from.
 *
 * @param section what was tried; the report's heading
 */
export function recordFigures(section: string, figures: Figures): void {
  const text = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  process.stdout.write(`faults: ${section}: ${text.join(", ")}\n`);
  const folder = process.env["WAYMARK_FAULT_FIGURES"];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${section.replaceAll(/[^a-z0-9]+/gi, "-").toLowerCase()}.json`);
  // Renamed when it is whole: somebody may be reading.
  writeFileSync(`${file}.part`, JSON.stringify({ section, figures }));
  renameSync(`${file}.part`, file);
}

/** The value below which `share` (0 to 1) of them are. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
