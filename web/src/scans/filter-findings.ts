import type { RunFinding } from "@waymark/shared/scans/schema.ts";
import { matchesText } from "../lib/matches-text.ts";
import { SEVERITIES } from "../lib/severities.ts";
import { compareText, sortRows } from "../lib/sorting.ts";
import { belongsToOperation } from "../lib/operation.ts";

export interface FindingFilter {
  text: string;
  severity: string;
  /** `open` or `decided`; empty: both. */
  state: string;
  /** One operation alone, see `operationOf`; empty: all. */
  operation: string;
}

/** The findings that pass the filter, sorted. */
export function filterFindings(
  findings: readonly RunFinding[],
  { text, severity, operation, state }: FindingFilter,
  order: string,
): RunFinding[] {
  const found = findings.filter(
    (finding) =>
      (operation === "" || belongsToOperation(operation, finding.method, finding.path)) &&
      (state === "" || (finding.decision === null) === (state === "open")) &&
      (severity === "" || finding.severity === severity) &&
      matchesText(text, [finding.code, finding.message, finding.path]),
  );
  return sortRows(found, findingOrder(order), COMPARISONS);
}

/** The order that the table is in: the most severe first unless another one is chosen. */
export function findingOrder(chosen: string): string {
  return chosen === "" ? "severity" : chosen;
}

const rank = (finding: RunFinding) => SEVERITIES.indexOf(finding.severity);
const COMPARISONS = {
  severity: (a: RunFinding, b: RunFinding) => rank(a) - rank(b),
  code: (a: RunFinding, b: RunFinding) => compareText(a.code, b.code),
  endpoint: (a: RunFinding, b: RunFinding) => compareText(a.path ?? "", b.path ?? ""),
};
