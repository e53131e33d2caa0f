/** Limits of comments on scan runs: Unicode characters, items. */
export const RUN_COMMENT_LIMITS = {
  textMax: 4_000,
  perRunMax: 500,
} as const;
