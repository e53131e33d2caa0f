import { EvaluationLimit } from "../expressions/engine-error.ts";

/** The limits of a run. A run that would exceed them is aborted; its teardown has its own limits. */
export interface RunLimits {
  /** Started steps, including repeated ones. */
  steps: number;
  /** Requests that are sent. */
  requests: number;
  /** Retries of one step, whatever its retryLimit says. */
  retriesPerStep: number;
  /** Workflows within workflows. */
  depth: number;
  runMs: number;
  /** All patterns, queries and schemas together, apart from what each request adds. */
  evaluationMs: number;
  /** The time that each request adds to `evaluationMs`: a long run checks more than a short one. */
  evaluationMsPerRequest: number;
  teardownMs: number;
  /** A step without a timeout of its own. */
  stepMs: number;
  /** Longest wait before a retry, also when the server asks for more. */
  retryAfterMs: number;
  responseBytes: number;
  requestBytes: number;
  redirects: number;
  /** The maximum length of each body in the result, in characters. */
  evidenceChars: number;
  /** The maximum length of each output and each actual value in the result, in characters of JSON. */
  valueChars: number;
  /** The maximum length of all outputs that steps and workflows have at one time, in characters. */
  outputChars: number;
}

export const DEFAULT_LIMITS: Readonly<RunLimits> = {
  steps: 1_000,
  requests: 2_000,
  retriesPerStep: 100,
  depth: 20,
  runMs: 15 * 60_000,
  evaluationMs: 1_000,
  evaluationMsPerRequest: 100,
  teardownMs: 60_000,
  stepMs: 30_000,
  retryAfterMs: 60_000,
  responseBytes: 5 * 1024 * 1024,
  requestBytes: 10 * 1024 * 1024,
  redirects: 10,
  evidenceChars: 16_384,
  valueChars: 4_096,
  outputChars: 16 * 1024 * 1024,
};

/** A limit exceeded outside a step's attempt ends the run. */
export function asAbort(error: unknown): unknown {
  if (!(error instanceof EvaluationLimit)) return error;
  return new RunAborted("limit", `A value can't be made: ${error.message}.`);
}

/** A program with a target that doesn't exist. The compiler creates none, but a program may be made by hand. */
export function nowhere(what: string): RunAborted {
  return new RunAborted("internal", `The program has no ${what}: build the artifact again.`);
}

/** The end of a run, or of its teardown, whose time is over. */
export function timeIsUp({ phase, limits }: { phase: "main" | "teardown"; limits: RunLimits }): RunAborted {
  const [what, ms] = phase === "main" ? ["run", limits.runMs] : ["teardown", limits.teardownMs];
  return new RunAborted("limit", `The ${what} took longer than ${ms} ms.`);
}

/** A run that ends because of a limit, because it was cancelled, or because its program is broken (`internal`). */
export class RunAborted extends Error {
  readonly code: "limit" | "cancelled" | "internal";

  constructor(code: "limit" | "cancelled" | "internal", message: string) {
    super(message);
    this.code = code;
  }
}
