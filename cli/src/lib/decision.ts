import { DECISION_KINDS } from "@waymark/shared/scans/finding-decisions/limits.ts";
import { SEVERITIES } from "@waymark/shared/scans/limits.ts";
import type { DecisionKind } from "@waymark/shared/scans/finding-decisions/schema.ts";
import type { Severity } from "@waymark/shared/scans/schema.ts";

/** A decision that covers a finding today. */
export interface Decision {
  kind: DecisionKind;
  /** The highest severity that it covers. */
  maxSeverity: Severity;
  reason: string;
  /** The last day on which it holds, as `YYYY-MM-DD`. */
  until: string;
  /** True for one of `waymark.yaml`, false for one of the server. */
  isInSource: boolean;
}

/** The decisions on a finding. At most one of them is there. */
export interface DecisionsOnFinding {
  decision?: Decision | undefined;
  /** One that covers the finding up to a lower severity than it has. */
  exceeded?: Decision | undefined;
}

/** A finding that somebody may have decided about. */
export interface Decidable {
  severity: Severity;
  /** Undefined for an open finding. */
  decision?: Decision | undefined;
}

const WORDS: Record<DecisionKind, string> = {
  accepted_risk: "accepted",
  false_positive: "false positive",
  wont_fix: "won't fix",
};

/** `accepted until 2027-03-01`. */
export function describeDecision({ kind, until }: Pick<Decision, "kind" | "until">): string {
  return `${WORDS[kind]} until ${until}`;
}

/** True if nobody has decided about a finding: it needs somebody's attention. */
export function isOpen({ decision }: Pick<Decidable, "decision">): boolean {
  return decision === undefined;
}

/** Counts findings by severity, most severe first: `3 high, 210 medium`. */
export function countBySeverity(findings: readonly Pick<Decidable, "severity">[]): string {
  return SEVERITIES.toReversed()
    .map((severity) => ({ severity, count: findings.filter((each) => each.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => `${count} ${severity}`)
    .join(", ");
}

/**
 * Counts findings by severity, and says how many of them are decided: `7 high: 5 accepted until 2027-03-01, 2 open`. Of several decisions
 * of a kind, it names the first day on which one ends.
 */
export function countDecided(findings: readonly Decidable[]): string {
  const decisions = findings.flatMap(({ decision }) => decision ?? []);
  const byKind = DECISION_KINDS.flatMap((kind) => {
    const [first, ...others] = decisions
      .filter((decision) => decision.kind === kind)
      .toSorted((a, b) => (a.until < b.until ? -1 : 1));
    if (first === undefined) return [];
    const isSame = others.every(({ until }) => until === first.until);
    return [`${others.length + 1} ${describeDecision(first)}${isSame ? "" : " or later"}`];
  });
  const open = findings.length - decisions.length;
  return `${countBySeverity(findings)}: ${[...byKind, `${open} open`].join(", ")}`;
}
