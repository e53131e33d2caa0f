/** Limits of an organization's severity policy: items, days. */
export const SEVERITY_POLICY_LIMITS = {
  rulesMax: 500,
  dueDaysMax: 3_650,
} as const;
