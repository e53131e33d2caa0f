import type { Severity } from "../schema.ts";
import { coversSeverity } from "./covers-severity.ts";
import { findingIdentity, type IdentifiedFinding } from "./finding-identity.ts";

/** The target of a decision: a finding of a service, a rule in a service, or a rule everywhere. */
export interface DecisionTarget {
  /** Null: every service. */
  serviceId: string | null;
  code: string;
  /** Null: every finding of the rule. */
  finding: Omit<IdentifiedFinding, "code"> | null;
}

/** A finding that a decision may cover. */
export type DecidableFinding = IdentifiedFinding & { severity: Severity };

/** Decisions on a finding. At most one of them is there. */
interface Found<Decision> {
  /** The decision that covers the finding. */
  decision: Decision | undefined;
  /** The decision that would cover it if it were less severe. */
  exceeded: Decision | undefined;
}

/**
 * Returns a function that finds the decision about a finding: the most specific one that covers it. The decisions must hold, and have different
 * targets.
 */
export function decisionFinder<Decision extends DecisionTarget & { maxSeverity: Severity }>(
  decisions: readonly Decision[],
): (serviceId: string, finding: DecidableFinding) => Found<Decision> {
  const byTarget = new Map(decisions.map((decision) => [keyOf(decision), decision]));
  // Identities cost time, and most findings are of rules that nobody has decided about.
  const codes = new Set(decisions.map(({ code }) => code));
  return (serviceId, finding) => {
    const { code, severity } = finding;
    if (!codes.has(code)) return { decision: undefined, exceeded: undefined };
    const targets = [
      { serviceId, code, finding },
      { serviceId, code, finding: null },
      { serviceId: null, code, finding: null },
    ];
    const found = targets.flatMap((target) => byTarget.get(keyOf(target)) ?? []);
    const decision = found.find(({ maxSeverity }) => coversSeverity(maxSeverity, severity));
    return { decision, exceeded: decision === undefined ? found[0] : undefined };
  };
}

function keyOf({ serviceId, code, finding }: DecisionTarget): string {
  return JSON.stringify([serviceId, code, finding === null ? null : findingIdentity({ ...finding, code })]);
}
