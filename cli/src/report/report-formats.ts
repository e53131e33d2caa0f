import { VERSION } from "../version.ts";
import { codeQualityReport } from "./code-quality.ts";
import { junitReport } from "./junit.ts";
import type { Reported } from "./reported.ts";
import { toSarif } from "./sarif.ts";
import { printableJson } from "@waymark/shared/lib/printable.ts";
import type { ReportFormat } from "./report-files.ts";

/** Findings as the text of a report. @param root the repository's folder, which paths are relative to */
export function renderReport(format: ReportFormat, findings: readonly Reported[], root: string): string {
  switch (format) {
    case "sarif":
      return `${printableJson(toSarif(findings, { root, version: VERSION }), 2)}\n`;
    case "junit":
      return junitReport(findings, root);
    case "codequality":
      return `${printableJson(codeQualityReport(findings, root), 2)}\n`;
  }
}
