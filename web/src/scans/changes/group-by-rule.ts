import type { NormalizedFinding, Severity } from "@waymark/shared/scans/schema.ts";
import { SEVERITIES } from "../../lib/severities.ts";
import { compareText } from "../../lib/sorting.ts";

/** Findings of one rule. */
export interface RuleFindings {
  code: string;
  /** The most severe of them. */
  severity: Severity;
  findings: readonly NormalizedFinding[];
}

/** Groups findings by rule, the most severe rules first. */
export function groupByRule(findings: readonly NormalizedFinding[]): RuleFindings[] {
  return [...Map.groupBy(findings, ({ code }) => code)]
    .map(([code, ofRule]) => ({ code, severity: worstOf(ofRule), findings: ofRule }))
    .toSorted(
      (a, b) =>
        SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
        b.findings.length - a.findings.length ||
        compareText(a.code, b.code),
    );
}

function worstOf(findings: readonly NormalizedFinding[]): Severity {
  return SEVERITIES.find((severity) => findings.some((one) => one.severity === severity)) ?? "info";
}

/** Returns a text that is equal for a finding in two lists of one run. */
export function findingKey({ code, method, path, message, severity }: NormalizedFinding): string {
  return JSON.stringify([code, severity, method, path, message]);
}
