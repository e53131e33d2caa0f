import { printable } from "../lib/text.ts";
import { relativePath } from "../lib/workspace-root.ts";
import { countBySeverity, countDecided, describeDecision, isOpen } from "../lib/decision.ts";
import type { Reported } from "./reported.ts";

/** Findings that are shown; reports and --json have them all. */
const FINDINGS_MAX = 20;

/** Findings as lines for a terminal: by file, the most severe first, with their lines and columns. */
export function findingLines(findings: readonly Reported[], cwd: string): string[] {
  if (findings.length === 0) return [];
  const shown = findings.slice(0, FINDINGS_MAX);
  const files = [...new Set(shown.map(({ file }) => file))];
  const more = findings.length - shown.length;
  return [
    ...files.flatMap((file) => [
      printable(file === undefined ? "standard input" : relativePath(cwd, file), 300),
      ...shown.filter((finding) => finding.file === file).map(lineOf),
    ]),
    ...(more > 0 ? [`  … and ${more} more: --report-sarif has all`] : []),
    countsOf(findings),
  ];
}

function lineOf({ severity, code, message, method, path, position, decision }: Reported): string {
  const { line, column } = position();
  const operation = [method, path].filter((part) => part !== null).join(" ");
  const at = operation === "" ? "" : ` (${operation})`;
  const place = `${line}:${column}`.padEnd(9);
  const decided = decision === undefined ? "" : ` [${describeDecision(decision)}]`;
  return `  ${place} ${severity.padEnd(8)} ${printable(`${code}: ${message}${at}`, 300)}${decided}`;
}

/** `Findings: 3 high, 210 medium`. */
function countsOf(findings: readonly Reported[]): string {
  return `Findings: ${findings.every(isOpen) ? countBySeverity(findings) : countDecided(findings)}`;
}
