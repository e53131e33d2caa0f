import { CliError, EXIT_CODES } from "../lib/cli-error.ts";
import type { CliContext } from "./context.ts";
import { writeLine } from "../lib/output.ts";

/** Prints an error on standard error and returns its exit code. Shows a stack only for internal errors. */
export function reportError(error: unknown, context: Pick<CliContext, "stderr">): number {
  if (error instanceof CliError) {
    writeLine(context.stderr, error.message);
    for (const detail of error.details) writeLine(context.stderr, `  ${detail}`);
    return error.exitCode;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  writeLine(context.stderr, "This is an internal error of waymark. Please report it:");
  for (const line of stack.split("\n")) writeLine(context.stderr, line);
  return EXIT_CODES.unavailable;
}
