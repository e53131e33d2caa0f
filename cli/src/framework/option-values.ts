import { REPORT_FORMATS } from "@waymark/journeys/report/formats.ts";
import { SEVERITIES } from "@waymark/shared/scans/limits.ts";
import { OUTPUT_FORMATS } from "./output-format.ts";
import { PLACEHOLDERS } from "./option-placeholders.ts";

/** The values of options and operands that have a fixed set of them. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  "--fail-on": ["breaking", "maybe", ...SEVERITIES],
  "--format": OUTPUT_FORMATS,
  "--service-from": ["title", "file"],
  "--on-upload-error": ["fail", "warn"],
  "--overlap": ["skip", "queue"],
  "--catch-up": ["none", "one"],
  "--arazzo": ["1.0.1", "1.1.0"],
  // The path follows.
  "--report": REPORT_FORMATS.map((format) => `${format}=`),
};

/** The completions that a shell offers for a value. */
export type Completion =
  | { kind: "choices"; choices: readonly string[] }
  | { kind: "files" }
  | { kind: "none" };

/** Returns the completions for the value of an option. */
export function completionOf(option: string): Completion {
  const choices = CHOICES[option];
  if (choices !== undefined) return { kind: "choices", choices };
  return /path>$|<folder>$/.test(PLACEHOLDERS[option] ?? "") ? { kind: "files" } : { kind: "none" };
}
