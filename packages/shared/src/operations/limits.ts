/** How many requests with `waitSeconds` wait in one api process at a time, as `GET /api/limits` publishes it. */
export const WAIT_LIMITS = {
  /**
   * The maximum of one key: an organization may have 210 runs that have not ended, and one key may follow half of them.
   */
  keyMax: 100,
  /** The maximum of all keys of an organization together. */
  organizationMax: 300,
  secondsMax: 20,
} as const;
