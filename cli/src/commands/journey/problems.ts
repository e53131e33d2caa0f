import type { Problem } from "@waymark/journeys/document/problem.ts";
import { type CliError, usageError } from "../../lib/cli-error.ts";
import { plural, printable } from "../../lib/text.ts";

/** More would not be read; a hostile document could cause thousands. */
const PROBLEMS_SHOWN_MAX = 200;

/** One line: `file:line:column severity message (code)`, as editors and terminals link it. */
export function problemLine({ file, line, column, severity, message, code }: Problem): string {
  return `${printable(file, 500)}:${line}:${column} ${severity} ${printable(message)} (${code})`;
}

/** The problems as lines, and how many more there are. */
export function problemLines(problems: readonly Problem[]): string[] {
  const lines = problems.slice(0, PROBLEMS_SHOWN_MAX).map(problemLine);
  const rest = problems.length - lines.length;
  return rest > 0 ? [...lines, `… and ${rest} more`] : lines;
}

/** `2 errors, 1 warning`. */
export function countProblems(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  const parts = [
    ...(errors > 0 ? [plural(errors, "error")] : []),
    ...(warnings > 0 ? [plural(warnings, "warning")] : []),
  ];
  return parts.join(", ") || "no problems";
}

/** The error with all problems of a document. */
export function documentError(what: string, problems: readonly Problem[]): CliError {
  return usageError(`${what}: ${countProblems(problems)}.`, { details: problemLines(problems) });
}
