/** Limits of comments on findings and of assignments: Unicode characters, items. */
export const FINDING_COMMENT_LIMITS = {
  textMax: 2_000,
  perServiceMax: 10_000,
} as const;
