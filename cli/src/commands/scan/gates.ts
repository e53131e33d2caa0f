import { SCAN_LIMITS, SEVERITIES } from "@waymark/shared/scans/limits.ts";
import type {
  NormalizedEndpoint,
  NormalizedFinding,
  ScanChanges,
  Severity,
} from "@waymark/shared/scans/schema.ts";
import { plural, printable } from "../../lib/text.ts";
import type { Gates } from "./settings.ts";

/** A failed gate, with the causes. */
export interface FailedGate {
  gate: string;
  causes: string[];
}

export interface GateResult {
  failed: FailedGate[];
  /** Notes for the user about gates that passed. */
  notes: string[];
}

/**
 * Evaluates the gates of a completed run.
 * @param findings all findings of this scan, most severe first, including those that were not sent
 * @param changes the server's comparison with the service's current run
 */
export function evaluateGates(
  gates: Gates,
  findings: readonly NormalizedFinding[],
  changes: ScanChanges,
): GateResult {
  const result: GateResult = { failed: [], notes: [] };
  if (gates.failOn !== undefined) evaluateFindings(gates.failOn, { gates, findings, changes }, result);
  if (gates.failOnRemoved && changes.endpoints.removed.length > 0) {
    result.failed.push({
      gate: "--fail-on-removed",
      causes: changes.endpoints.removed.map(describeEndpoint),
    });
  }
  if (changes.against === null && (gates.newOnly || gates.failOnRemoved)) {
    result.notes.push(
      "this service has no current run to compare with. This run becomes the current one, so the next run is compared with it.",
    );
  }
  return result;
}

function evaluateFindings(
  threshold: Severity,
  scan: { gates: Gates; findings: readonly NormalizedFinding[]; changes: ScanChanges },
  result: GateResult,
): void {
  const counts = (finding: NormalizedFinding) => rank(finding.severity) >= rank(threshold);
  const gate = `--fail-on ${threshold}${scan.gates.newOnly ? " --new-only" : ""}`;
  if (!scan.gates.newOnly) {
    const causes = scan.findings.filter(counts).map(describeFinding);
    if (causes.length > 0) result.failed.push({ gate, causes });
    return;
  }
  if (scan.changes.against === null) return;
  const { new: added, severityChanged } = scan.changes.findings;
  const worse = severityChanged.filter(({ before, after }) => !counts(before) && counts(after));
  const causes = [...added.filter(counts), ...worse.map(({ after }) => after)].map(describeFinding);
  const unsent = scan.findings.slice(SCAN_LIMITS.findingsMax).filter(counts).length;
  if (unsent > 0)
    causes.push(`${plural(unsent, "finding")} beyond the ${SCAN_LIMITS.findingsMax} that could be compared`);
  if (causes.length > 0) result.failed.push({ gate, causes });
}

function rank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

function describeFinding({ severity, code, method, path, message }: NormalizedFinding): string {
  const location = [method, path].filter((part) => part !== null).join(" ");
  return printable(`${severity} ${code}${location === "" ? "" : ` at ${location}`}: ${message}`, 300);
}

function describeEndpoint({ method, path }: NormalizedEndpoint): string {
  return printable(`removed: ${method} ${path}`, 300);
}
