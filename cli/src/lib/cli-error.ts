/** The exit codes of the command. They are part of its contract: pipelines branch on these numbers. */
export const EXIT_CODES = {
  ok: 0,
  gate: 1,
  usage: 2,
  access: 3,
  unavailable: 4,
  waitTimedOut: 5,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

export interface CliErrorOptions {
  cause?: unknown;
  details?: readonly string[];
  fields?: Readonly<Record<string, unknown>>;
  /** The code of the server's error response. */
  code?: string;
}

/**
 * A failure that the user can understand: the message is printed as it is, without a stack. `details` follow it,
 * one line each. Never a key or a header in either.
 */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: ExitCode;
  readonly details: readonly string[];
  /** Members that `--json` prints besides the error, such as the run that was stored before it. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The code of the server's error response, if it is about one. */
  readonly code: string | undefined;

  constructor(exitCode: ExitCode, message: string, options: CliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = exitCode;
    this.details = options.details ?? [];
    this.fields = options.fields ?? {};
    this.code = options.code;
  }
}

/** The spec or the command line is at fault. */
export function usageError(message: string, options: CliErrorOptions = {}): CliError {
  return new CliError(EXIT_CODES.usage, message, options);
}
