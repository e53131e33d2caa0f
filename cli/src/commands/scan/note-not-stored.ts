import { toError } from "@waymark/shared/lib/to-error.ts";
import { CliError } from "../../lib/cli-error.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { printable } from "../../lib/text.ts";

/** The details of a refusal that are shown: three lines with the refusal itself. */
const DETAILS_MAX = 2;

/** Says that something was not stored with a run, and why. */
export function noteNotStored(reporter: Reporter, error: unknown, what = "the description"): void {
  const { message } = toError(error);
  const details = error instanceof CliError ? error.details.slice(0, DETAILS_MAX) : [];
  const end = /[.!?]$/.test(message) ? "" : ".";
  reporter.omission(`${what} was not stored: ${printable(message)}${end}`, details);
}
