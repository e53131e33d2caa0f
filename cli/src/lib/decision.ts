import { SEVERITIES } from "@waymark/shared/scans/limits.ts";
import type { DecisionKind } from "@waymark/shared/scans/finding-decisions/schema.ts";
import type { Severity } from "@waymark/shared/scans/schema.ts";

/** A decision that covers a finding today. */
export interface Decision {
  kind: DecisionKind;
  reason: string;
  /** The last day on which it holds, as `YYYY-MM-DD`. */
  until: string;
  /** True for one of `waymark.yaml`, false for one of the server. */
  isInSource: boolean;
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

/**
 * Counts findings by severity, and says how many of them are decided: `7 high: 5 accepted until 2027-03-01, 2 open`. Of several decisions
 * of a kind, it names the first day on which one ends.
 */
export function countDecided(findings: readonly Decidable[]): string {
  const bySeverity = SEVERITIES.toReversed()
    .map((severity) => ({ severity, count: findings.filter((each) => each.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => `${count} ${severity}`);
  const decisions = findings.flatMap(({ decision }) => decision ?? []);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those of the list
  const byKind = (Object.keys(WORDS) as DecisionKind[]).flatMap((kind) => {
    const [first, ...others] = decisions
      .filter((decision) => decision.kind === kind)
      .toSorted((a, b) => (a.until < b.until ? -1 : 1));
    if (first === undefined) return [];
    const isSame = others.every(({ until }) => until === first.until);
    return [`${others.length + 1} ${describeDecision(first)}${isSame ? "" : " or later"}`];
  });
  const open = findings.length - decisions.length;
  return `${bySeverity.join(", ")}: ${[...byKind, `${open} open`].join(", ")}`;
}
