import type {
  DecisionKind,
  DecisionOnFinding,
  FindingDecision,
} from "@waymark/shared/scans/finding-decisions/schema.ts";

/** The kinds of decisions, as people read them. */
export const DECISION_WORDS: Readonly<Record<DecisionKind, string>> = {
  accepted_risk: "accepted risk",
  false_positive: "false positive",
  wont_fix: "won't fix",
};

const TARGETS: Readonly<Record<NonNullable<DecisionOnFinding>["target"], string>> = {
  finding: "this finding",
  rule: "every finding of the rule in this service",
  rule_everywhere: "every finding of the rule, in every service",
};

/** Says what a decision is for. */
export function describeTarget({ target }: NonNullable<DecisionOnFinding>): string {
  return TARGETS[target];
}

/** True for a decision that matches no finding of a current run. */
export function isIdle({ findingCount, exceededCount }: FindingDecision): boolean {
  return findingCount + exceededCount === 0;
}
