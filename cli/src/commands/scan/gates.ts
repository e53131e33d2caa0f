import { SCAN_LIMITS, SEVERITIES } from "@waymark/shared/scans/limits.ts";
import type {
  NormalizedEndpoint,
  NormalizedFinding,
  ScanChanges,
  Severity,
} from "@waymark/shared/scans/schema.ts";
import { SEVERITY_MAX_DEFAULT } from "../../lint/severities.ts";
import { plural, printable } from "../../lib/text.ts";
import type { Gates } from "./gate-settings.ts";

/** A failed gate, with the causes. */
export interface FailedGate {
  gate: string;
  causes: string[];
}

export interface GateResult {
  failed: FailedGate[];
  /** Notes for the user about gates that passed, or were not evaluated. */
  notes: string[];
}

/** Whether a gate needs the server's comparison with the service's current run. */
export function needsComparison(gates: Gates): boolean {
  return gates.newOnly || gates.failOnRemoved;
}

/**
 * Evaluates the gates of a run.
 * @param findings all findings of this scan, most severe first, including those that were not sent
 * @param changes the server's comparison with the service's current run; without it, only the gates that need none
 */
export function evaluateGates(
  gates: Gates,
  findings: readonly NormalizedFinding[],
  changes: ScanChanges | undefined,
): GateResult {
  const result: GateResult = { failed: [], notes: [] };
  if (gates.failOn !== undefined) {
    const gate = `--fail-on ${gates.failOn}${gates.newOnly ? " --new-only" : ""}`;
    const causes = gates.newOnly
      ? newCauses(gates.failOn, findings, changes)
      : findings.filter(atLeast(gates.failOn)).map(describeFinding);
    if (causes.length > 0) result.failed.push({ gate, causes });
  }
  const removed = changes?.endpoints.removed ?? [];
  if (gates.failOnRemoved && removed.length > 0) {
    result.failed.push({ gate: "--fail-on-removed", causes: removed.map(describeEndpoint) });
  }
  if (needsComparison(gates)) {
    if (changes === undefined) {
      result.notes.push(
        "--new-only and --fail-on-removed compare with the service's current run, so a dry run can't evaluate them.",
      );
    } else if (changes.against === null) {
      result.notes.push(
        "this service has no current run to compare with. This run becomes the current one, so the next run is compared with it.",
      );
    }
  }
  return result;
}

/** Why a gate on findings always holds, or undefined if it can fail. */
export function describeIdleGate(
  gates: Gates | undefined,
  severities: ReadonlyMap<string, Severity>,
): string | undefined {
  if (gates?.failOn === undefined) return undefined;
  const reachable = Math.max(rank(SEVERITY_MAX_DEFAULT), ...[...severities.values()].map(rank));
  if (reachable >= rank(gates.failOn)) return undefined;
  return (
    `the gate --fail-on ${gates.failOn} can't fail: rules give at most ${SEVERITY_MAX_DEFAULT}. ` +
    `Set the severity of a rule with --severity <rule>=${gates.failOn}, or under severities in waymark.yaml.`
  );
}

function newCauses(
  threshold: Severity,
  findings: readonly NormalizedFinding[],
  changes: ScanChanges | undefined,
): string[] {
  if (changes === undefined || changes.against === null) return [];
  const counts = atLeast(threshold);
  const { new: added, severityChanged } = changes.findings;
  const worse = severityChanged.filter(({ before, after }) => !counts(before) && counts(after));
  const causes = [...added.filter(counts), ...worse.map(({ after }) => after)].map(describeFinding);
  const unsent = findings.slice(SCAN_LIMITS.findingsMax).filter(counts).length;
  if (unsent > 0)
    causes.push(`${plural(unsent, "finding")} beyond the ${SCAN_LIMITS.findingsMax} that could be compared`);
  return causes;
}

function atLeast(threshold: Severity): (finding: NormalizedFinding) => boolean {
  return ({ severity }) => rank(severity) >= rank(threshold);
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
