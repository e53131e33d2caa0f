/** How many requests with `waitSeconds` wait in one api process at a time, as `GET /api/limits` publishes it. */
export const WAIT_LIMITS = {
  /** Of one key: an organization may have 210 runs that have not ended, and one key may follow half of them. */
  keyMax: 100,
  /** Of all keys of an organization. */
  organizationMax: 300,
  secondsMax: 20,
} as const;

/** The name of a number of requests a minute that the configuration limits and `GET /api/limits` publishes. */
export type RateLimitName = "keyPerMinute" | "ingestPerMinute" | "failedAuthenticationsPerMinute";
