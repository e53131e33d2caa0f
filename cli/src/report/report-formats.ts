import { isOpen } from "../lib/decision.ts";
import { VERSION } from "../lib/version.ts";
import { codeQualityReport } from "./code-quality.ts";
import { junitReport } from "./junit.ts";
import { openChanges, type ReportContent } from "./reported.ts";
import { toSarif } from "./sarif.ts";
import { printableJson } from "@waymark/shared/lib/printable.ts";
import type { ReportFormat } from "./report-files.ts";

/** Findings and changes as the text of a report. @param root the repository's folder, which paths are relative to */
export function renderReport(format: ReportFormat, content: ReportContent, root: string): string {
  const { findings = [], comparisons } = content;
  const all = [...openChanges(comparisons), ...findings];
  const notCompared = comparisons.flatMap((comparison) => comparison.notCompared);
  const renderers: Record<ReportFormat, () => string> = {
    sarif: () => `${printableJson(toSarif(all, { root, version: VERSION, notCompared }), 2)}\n`,
    junit: () => junitReport(content, root),
    codequality: () => `${printableJson(codeQualityReport(all.filter(isOpen), root), 2)}\n`,
  };
  return renderers[format]();
}
