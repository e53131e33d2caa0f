/** Limits of trust policies and of the tokens that they accept, counted in items, Unicode characters, bytes and seconds. */
export const TRUST_POLICY_LIMITS = {
  /** The maximum number of policies of one organization. */
  policiesMax: 200,
  nameMax: 100,
  issuerMax: 500,
  audienceMax: 500,
  conditionsMax: 20,
  /** Accepted values of one claim. */
  valuesMax: 200,
  claimMax: 200,
  valueMax: 500,
  /** How long an issued key is valid. */
  lifetimeSecondsMin: 300,
  lifetimeSecondsMax: 3_600,
  lifetimeSecondsDefault: 900,
  /** A token of a workload, as it is sent. */
  tokenBytesMax: 16 * 1024,
  /** How long a token may be valid after it was issued. */
  tokenSecondsMax: 24 * 3_600,
  /** How far the clocks of an issuer and of the server may differ. */
  clockSkewSeconds: 60,
} as const;
