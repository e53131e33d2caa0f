import { VERSION } from "../lib/version.ts";
import { codeQualityReport } from "./code-quality.ts";
import { junitReport } from "./junit.ts";
import type { Reported } from "./reported.ts";
import { toSarif } from "./sarif.ts";
import { printableJson } from "@waymark/shared/lib/printable.ts";
import type { ReportFormat } from "./report-files.ts";

/** Findings as the text of a report. @param root the repository's folder, which paths are relative to */
export function renderReport(format: ReportFormat, findings: readonly Reported[], root: string): string {
  const renderers: Record<ReportFormat, () => string> = {
    sarif: () => `${printableJson(toSarif(findings, { root, version: VERSION }), 2)}\n`,
    junit: () => junitReport(findings, root),
    codequality: () => `${printableJson(codeQualityReport(findings, root), 2)}\n`,
  };
  return renderers[format]();
}
