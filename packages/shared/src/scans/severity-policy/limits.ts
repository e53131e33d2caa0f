/** Limits of an organization's severity policy: items. */
export const SEVERITY_POLICY_LIMITS = {
  rulesMax: 500,
} as const;
