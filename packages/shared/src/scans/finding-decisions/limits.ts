/** Limits of decisions about findings: items, Unicode characters, days. */
export const DECISION_LIMITS = {
  reasonMax: 500,
  /** The findings that one request decides about, and the decisions that one revokes. */
  perRequestMax: 500,
  /** The decisions of an organization, also those that have expired. */
  perOrganizationMax: 10_000,
  /** The last day of a decision, from today, unless the operator sets another maximum. */
  daysMaxDefault: 365,
  /** The longest maximum that the operator can set. */
  daysMaxMax: 3_650,
} as const;

/** The maximum size of a request about several findings, whose texts can have four bytes a character. */
export const BATCH_BYTES_MAX = 4 * 1024 * 1024;

/** The kinds of decisions. */
export const DECISION_KINDS = ["accepted_risk", "false_positive", "wont_fix"] as const;
