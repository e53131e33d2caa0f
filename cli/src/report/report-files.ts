/** The formats of reports on findings and changes. */
export const REPORT_FORMATS = ["sarif", "junit", "codequality"] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** A requested report. */
export interface ReportFile {
  format: ReportFormat;
  /** An absolute path, or `-` for standard output. */
  file: string;
}

/** True if a report goes to standard output. */
export function takesStdout(reports: readonly ReportFile[]): boolean {
  return reports.some(({ file }) => file === "-");
}
