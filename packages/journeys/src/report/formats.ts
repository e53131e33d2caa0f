/** The formats of reports. A separate module, so that checking a name loads no report. */
export const REPORT_FORMATS = ["json", "junit", "html", "har", "ctrf"] as const;

export type ReportFormat = (typeof REPORT_FORMATS)[number];

export function isReportFormat(name: string): name is ReportFormat {
  return REPORT_FORMATS.some((format) => format === name);
}
