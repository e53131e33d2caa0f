/** The limits of requests a minute that an operator sets and `GET /api/limits` publishes, with what each of them counts. */
export const RATE_LIMITS = {
  keyPerMinute: "requests a minute of one API key",
  ingestPerMinute: "scans a minute of one API key",
  failedAuthenticationsPerMinute: "refused requests a minute of one API key",
} as const;
export type RateLimitName = keyof typeof RATE_LIMITS;
