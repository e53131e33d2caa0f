import { findingIdentity, type IdentifiedFinding } from "./finding-identity.ts";

/** The target of a decision: a finding of a service, a rule in a service, or a rule everywhere. */
export interface DecisionTarget {
  /** Null: every service. */
  serviceId: string | null;
  code: string;
  /** Null: every finding of the rule. */
  finding: Omit<IdentifiedFinding, "code"> | null;
}

/**
 * Returns a function that finds the decision about a finding: the most specific one that covers it. The decisions must hold, and have different
 * targets.
 */
export function decisionFinder<Decision extends DecisionTarget>(
  decisions: readonly Decision[],
): (serviceId: string, finding: IdentifiedFinding) => Decision | undefined {
  const byTarget = new Map(decisions.map((decision) => [keyOf(decision), decision]));
  // Identities cost time, and most findings are of rules that nobody has decided about.
  const codes = new Set(decisions.map(({ code }) => code));
  return (serviceId, finding) => {
    const { code } = finding;
    if (!codes.has(code)) return undefined;
    const targets = [
      { serviceId, code, finding },
      { serviceId, code, finding: null },
      { serviceId: null, code, finding: null },
    ];
    return targets.map((target) => byTarget.get(keyOf(target))).find((decision) => decision !== undefined);
  };
}

function keyOf({ serviceId, code, finding }: DecisionTarget): string {
  return JSON.stringify([serviceId, code, finding === null ? null : findingIdentity({ ...finding, code })]);
}
