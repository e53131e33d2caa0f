/** What a run may use at most. A run that would use more is aborted; its teardown has a budget of its own. */
export interface RunLimits {
  /** Steps that are started, repeated ones included. */
  steps: number;
  /** Requests that are sent. */
  requests: number;
  /** Retries of one step, whatever its retryLimit says. */
  retriesPerStep: number;
  /** Workflows within workflows. */
  depth: number;
  runMs: number;
  teardownMs: number;
  /** A step without a timeout of its own. */
  stepMs: number;
  /** Longest wait before a retry, also when the server asks for more. */
  retryAfterMs: number;
  responseBytes: number;
  requestBytes: number;
  redirects: number;
  /** Of each body in the result, in characters. */
  evidenceChars: number;
  /** Of each output and each actual value in the result, in characters of JSON. */
  valueChars: number;
}

export const DEFAULT_LIMITS: Readonly<RunLimits> = {
  steps: 1_000,
  requests: 2_000,
  retriesPerStep: 100,
  depth: 20,
  runMs: 15 * 60_000,
  teardownMs: 60_000,
  stepMs: 30_000,
  retryAfterMs: 60_000,
  responseBytes: 5 * 1024 * 1024,
  requestBytes: 10 * 1024 * 1024,
  redirects: 10,
  evidenceChars: 16_384,
  valueChars: 4_096,
};

/** A run that ends because of a limit or because it was cancelled. */
export class RunAborted extends Error {
  readonly code: "limit" | "cancelled";

  constructor(code: "limit" | "cancelled", message: string) {
    super(message);
    this.code = code;
  }
}
