import { CliError, EXIT_CODES } from "../lib/cli-error.ts";
import type { CliContext } from "../context.ts";
import { writeLine } from "../lib/output.ts";

/** Prints a failure on standard error and gives its exit code. Only a fault of the command itself shows a stack. */
export function reportError(error: unknown, context: Pick<CliContext, "stderr">): number {
  if (error instanceof CliError) {
    writeLine(context.stderr, error.message);
    for (const detail of error.details) writeLine(context.stderr, `  ${detail}`);
    return error.exitCode;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  writeLine(context.stderr, "This is a fault of waymark itself, please report it:");
  for (const line of stack.split("\n")) writeLine(context.stderr, line);
  return EXIT_CODES.unavailable;
}
