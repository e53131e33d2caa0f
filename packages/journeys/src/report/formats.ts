/** The formats of reports. A separate module, so that checking a name loads no report. */
export const REPORT_FORMATS = ["json", "junit", "html", "har", "ctrf"] as const;

export type ReportFormat = (typeof REPORT_FORMATS)[number];

const JSON_TYPE = "application/json; charset=utf-8";

/** The media type with which a server sends a report. */
export const REPORT_MEDIA_TYPES: Readonly<Record<ReportFormat, string>> = {
  json: JSON_TYPE,
  junit: "application/xml; charset=utf-8",
  // Foreign text: it is saved, and never shown as a page of the server.
  html: "application/octet-stream",
  har: JSON_TYPE,
  ctrf: JSON_TYPE,
};

/** True if a report is JSON, in which any character can be written as an escape. */
export function isJsonReport(format: ReportFormat): boolean {
  return REPORT_MEDIA_TYPES[format] === JSON_TYPE;
}

export function isReportFormat(name: string): name is ReportFormat {
  return REPORT_FORMATS.some((format) => format === name);
}
