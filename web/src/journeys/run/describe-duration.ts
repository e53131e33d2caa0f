import type { JourneyRun } from "@waymark/shared/journey-runs/schema.ts";

/** A number of milliseconds as people read it: `35 ms`, `1.2 s`, `2 min 5 s`. */
export function describeMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Describes the time from the start of a run to its end; `–` before the end. */
export function describeDuration({ startedAt, endedAt }: Pick<JourneyRun, "startedAt" | "endedAt">): string {
  if (startedAt === null || endedAt === null) return "–";
  return describeMs(Date.parse(endedAt) - Date.parse(startedAt));
}
