/** Limits of saved views: views of one owner, Unicode characters. */
export const SAVED_VIEW_LIMITS = {
  perOwnerMax: 100,
  nameMax: 120,
  queryMax: 2_000,
} as const;
