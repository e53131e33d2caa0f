import type { Severity } from "@waymark/shared/scans/schema.ts";
import { SEVERITIES } from "./severities.ts";

type Counts = Readonly<Record<Severity, number>>;

/** Counts the findings that nobody has decided about, by severity. */
export function openBySeverity(counts: {
  findingsBySeverity: Counts;
  decidedBySeverity: Counts | null;
}): Counts {
  const { findingsBySeverity, decidedBySeverity } = counts;
  const open = { ...findingsBySeverity };
  for (const severity of SEVERITIES)
    open[severity] = Math.max(0, findingsBySeverity[severity] - (decidedBySeverity?.[severity] ?? 0));
  return open;
}

/** Returns the sum over all severities. */
export function sumOf(counts: Counts | null): number {
  return SEVERITIES.reduce((sum, severity) => sum + (counts?.[severity] ?? 0), 0);
}
