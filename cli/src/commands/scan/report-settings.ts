import path from "node:path";
import { given } from "../../lib/config.ts";
import { usageError } from "../../lib/cli-error.ts";
import { type FormatFlags, wantsJson } from "../../framework/output-format.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";
import type { ReportFile, ReportFormat } from "../../report/report-files.ts";

export interface ReportFlags extends FormatFlags {
  spec: string | undefined;
  stdinName: string | undefined;
  reportSarif: string | undefined;
  reportJunit: string | undefined;
  reportCodequality: string | undefined;
}

/** The reports that the options ask for. @throws {CliError} if two of them want standard output */
export function settleReports(cwd: string, flags: ReportFlags): ReportFile[] {
  const reports = asked(flags).map(({ format, file }) => ({
    format,
    file: file === STDIN_NAME ? file : path.resolve(cwd, file),
  }));
  const onStdout = reports.filter(({ file }) => file === STDIN_NAME).length + (wantsJson(flags) ? 1 : 0);
  if (onStdout > 1 && reports.some(({ file }) => file === STDIN_NAME)) {
    throw usageError("Standard output can have one report or JSON, not both: give each other report a file.");
  }
  if (
    flags.spec === STDIN_NAME &&
    given(flags.stdinName) === undefined &&
    flags.reportCodequality !== undefined
  ) {
    throw usageError(
      "--report-codequality needs a description in a file: GitLab shows findings in files, and standard input is none: name its file with --stdin-name.",
    );
  }
  return reports;
}

/** The first option that asks for a report, if one does. */
export function reportFlagOf(flags: ReportFlags): string | undefined {
  return asked(flags)[0]?.flag;
}

function asked(flags: ReportFlags): { flag: string; format: ReportFormat; file: string }[] {
  const formats = [
    { flag: "--report-sarif", format: "sarif", value: flags.reportSarif },
    { flag: "--report-junit", format: "junit", value: flags.reportJunit },
    { flag: "--report-codequality", format: "codequality", value: flags.reportCodequality },
  ] as const;
  return formats.flatMap(({ flag, format, value }) => {
    const file = given(value);
    return file === undefined ? [] : [{ flag, format, file }];
  });
}
