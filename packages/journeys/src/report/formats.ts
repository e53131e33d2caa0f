/** The formats that a report can be had in. A module of its own: to check a name needs no report. */
const FORMATS = ["json", "junit", "html", "har", "ctrf"] as const;

export type ReportFormat = (typeof FORMATS)[number];

export const REPORT_FORMATS: readonly string[] = FORMATS;

export function isReportFormat(name: string): name is ReportFormat {
  return REPORT_FORMATS.includes(name);
}
