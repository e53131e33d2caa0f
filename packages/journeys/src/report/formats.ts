/** The formats of reports. A separate module, so that checking a name loads no report. */
const FORMATS = ["json", "junit", "html", "har", "ctrf"] as const;

export type ReportFormat = (typeof FORMATS)[number];

export const REPORT_FORMATS: readonly string[] = FORMATS;

export function isReportFormat(name: string): name is ReportFormat {
  return REPORT_FORMATS.includes(name);
}
