import { usageError } from "../lib/cli-error.ts";

/** The formats of standard output: lines for people, one JSON object, or JSON lines. */
export const OUTPUT_FORMATS = ["text", "json", "jsonl"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export interface FormatFlags {
  /** The value of `--format`, unchecked. */
  format: string | undefined;
  /** Short for `--format json`. */
  json: boolean | undefined;
}

/** @throws {CliError} for an unknown format, and for two of them */
export function settleFormat({ format, json }: FormatFlags): OutputFormat {
  const known = OUTPUT_FORMATS.find((each) => each === format);
  if (format !== undefined && known === undefined) {
    throw usageError(`--format must be one of ${OUTPUT_FORMATS.join(", ")}.`);
  }
  if (json === true && known !== undefined && known !== "json") {
    throw usageError(`--json is short for --format json, and --format is ${known}: pass one of them.`);
  }
  return json === true ? "json" : (known ?? "text");
}

/** True if a failure is printed as JSON too, also before the options are checked. */
export function wantsJson({ format, json }: FormatFlags): boolean {
  return json === true || format === "json" || format === "jsonl";
}
