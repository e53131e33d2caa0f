/** The formats of reports on findings. */
export type ReportFormat = "sarif" | "junit" | "codequality";

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
