import { type FormatFlags, OUTPUT_FORMATS, type OutputFormat } from "../../framework/output-format.ts";
import { usageError } from "../../lib/cli-error.ts";
import type { AnnotationFormat } from "../../report/annotations.ts";
import { REPORT_FORMATS, type ReportFormat } from "../../report/report-files.ts";

/** The formats of `waymark diff`. */
export type DiffFormat = OutputFormat | ReportFormat | "markdown" | AnnotationFormat;

const DIFF_FORMATS = [...OUTPUT_FORMATS, "markdown", ...REPORT_FORMATS, "github", "azure"] as const;

/** @throws {CliError} for an unknown format, and for two of them */
export function settleDiffFormat({ format, json }: FormatFlags): DiffFormat {
  const known = DIFF_FORMATS.find((each) => each === format);
  if (format !== undefined && known === undefined)
    throw usageError(`--format must be one of ${DIFF_FORMATS.join(", ")}.`);
  if (json === true && known !== undefined && known !== "json")
    throw usageError(`--json is short for --format json, and --format is ${known}: pass one of them.`);
  return json === true ? "json" : (known ?? "text");
}
