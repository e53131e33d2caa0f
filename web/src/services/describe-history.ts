import type { ScanRun } from "@waymark/shared/scans/schema.ts";

/**
 * Returns the promoted runs, which are plotted, the oldest first. A run that was not promoted, such as after a failed
 * gate, does not describe the service's current API.
 */
export function plottedRuns(runs: readonly ScanRun[]): { plotted: ScanRun[]; heldCount: number } {
  const completed = runs.filter((run) => run.status === "completed");
  const plotted = completed.filter((run) => run.promoted).toReversed();
  return { plotted, heldCount: completed.length - plotted.length };
}

/** Describes a plot in words, for screen readers. */
export function describeHistory(label: string, counts: readonly number[]): string {
  return counts.length === 1
    ? `${label} over 1 run: ${counts[0]}`
    : `${label} over ${counts.length} runs: from ${counts[0]} to ${counts.at(-1)}`;
}

/** True if two moments are on one day of the reader's time zone. */
export function isSameDay(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && new Date(a).toDateString() === new Date(b).toDateString();
}

/** The branches of the runs, the one of the newest run first; and the chosen one, which a link may name. */
export function branchesOf(runs: readonly Pick<ScanRun, "source">[], chosen: string): string[] {
  const branches = [...runs.map((run) => run.source?.branch ?? ""), chosen];
  return [...new Set(branches)].filter(Boolean);
}
