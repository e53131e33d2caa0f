/** Time limits of the network, in milliseconds. */
export interface NetworkTimes {
  /** Until a connection is established, including TLS and proxy. */
  connectMs: number;
  /** Until one attempt has its complete response. */
  attemptMs: number;
  /** Until a check that is only made to fail early is given up. */
  checkMs: number;
  /** Until a stored scan's description is given up. */
  descriptionMs: number;
  /** Until the last attempt has ended, including the delays. */
  totalMs: number;
  /** The first delay between attempts; it doubles each time. */
  firstDelayMs: number;
  attemptsMax: number;
}

/** Five delays of 0.5 to 8 s outlast a restart of the server, and two minutes outlast a `Retry-After` of one minute. */
export const DEFAULT_TIMES: NetworkTimes = {
  connectMs: 10_000,
  attemptMs: 60_000,
  checkMs: 5_000,
  descriptionMs: 15_000,
  totalMs: 120_000,
  firstDelayMs: 500,
  attemptsMax: 6,
};
