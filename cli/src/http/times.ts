/** How long the network may take, in milliseconds. */
export interface NetworkTimes {
  /** Until a connection stands, TLS and proxy included. */
  connectMs: number;
  /** Until one attempt has its whole answer. */
  attemptMs: number;
  /** Until the last attempt has ended, waiting between them included. */
  totalMs: number;
  /** The first wait between attempts; it doubles with each. */
  firstDelayMs: number;
  attemptsMax: number;
}

/** Five waits of 0.5 to 8 s outlast a server that restarts; two minutes a `Retry-After` of a minute. */
export const DEFAULT_TIMES: NetworkTimes = {
  connectMs: 10_000,
  attemptMs: 60_000,
  totalMs: 120_000,
  firstDelayMs: 500,
  attemptsMax: 6,
};
