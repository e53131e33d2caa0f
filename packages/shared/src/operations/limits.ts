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

/** The limits of requests a minute that an operator sets and `GET /api/limits` publishes, with what each of them counts. */
export const RATE_LIMITS = {
  keyPerMinute: "requests a minute of one API key",
  ciKeyPerMinute: "requests a minute of one API key that may submit scans and is not a person's",
  ingestPerMinute: "scans a minute of one API key",
  failedAuthenticationsPerMinute: "refused requests a minute of one API key",
} as const;
export type RateLimitName = keyof typeof RATE_LIMITS;

/**
 * The limits that the requests of an operation count towards.
 * - `default`, `ingest`: a limit of the key and the organization's limit.
 * - `revocation`: the key's limit only, so that a key which uses up its organization's limit can still be revoked.
 * - `refused`: only refused requests count, so that a key can revoke itself regardless of its other requests.
 */
export type OperationLimits = "default" | "ingest" | "revocation" | "refused";
