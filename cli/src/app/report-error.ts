import { CliError, EXIT_CODES } from "../lib/cli-error.ts";
import type { CliContext } from "../context.ts";

/** Prints a failure on standard error and gives its exit code. Only a fault of the command itself shows a stack. */
export function reportError(error: unknown, context: Pick<CliContext, "stderr">): number {
  if (error instanceof CliError) {
    const details = error.details.map((line) => `  ${line}\n`).join("");
    context.stderr.write(`${error.message}\n${details}`);
    return error.exitCode;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  context.stderr.write(`This is a fault of waymark itself, please report it:\n${stack}\n`);
  return EXIT_CODES.unavailable;
}
