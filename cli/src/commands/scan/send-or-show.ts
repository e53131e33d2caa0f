import type { CliContext } from "../../framework/context.ts";
import type { ExitCode } from "../../lib/cli-error.ts";
import { isTerminal, writeJson, writeLine } from "../../lib/output.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { findingLines } from "../../report/finding-lines.ts";
import type { ReportedComparison } from "../../report/reported.ts";
import { reportFindings } from "../../report/report-findings.ts";
import { dryRun } from "./dry-run.ts";
import { hasFindings } from "./has-findings.ts";
import { mostSevereFirst, type PreparedScan } from "./prepare-scan.ts";
import type { ScanSettings } from "./settings.ts";
import type { ScanToSubmit } from "./submit-prepared.ts";

type Shown = Pick<PreparedScan, "findings" | "specFolder" | "check">;

/** Writes findings and changes to the reports, and lists the findings on a terminal or as JSON lines. */
export async function showFindings(
  context: CliContext,
  scans: readonly Shown[],
  settings: ScanSettings,
): Promise<void> {
  const findings = mostSevereFirst(scans.flatMap((scan) => scan.findings));
  const content = {
    findings: hasFindings(settings) ? findings : undefined,
    comparisons: await comparisonsOf(scans),
  };
  const [first] = scans;
  const specFolder = scans.length === 1 && first !== undefined ? first.specFolder : context.cwd;
  await reportFindings(context, { content, specFolder }, settings);
  if (settings.format === "jsonl") {
    const { findingRecord } = await import("../../report/json-lines.ts");
    for (const finding of findings) writeJson(context.stdout, findingRecord(finding, context.cwd));
  }
  if (!isTerminal(context.stderr) || settings.quiet || settings.format !== "text") return;
  for (const line of findingLines(findings, context.cwd)) writeLine(context.stderr, line);
}

async function comparisonsOf(scans: readonly Shown[]): Promise<ReportedComparison[]> {
  const checks = scans.flatMap(({ check }) => check ?? []);
  if (checks.length === 0) return [];
  const { reportCheck } = await import("../contract/describe-check.ts");
  return checks.map(reportCheck);
}

/** Submits a scan that was read, or prints what would be sent. */
export async function sendOrShow(
  context: CliContext,
  reporter: Reporter,
  submitted: ScanToSubmit,
): Promise<ExitCode> {
  const { scan, settings } = submitted;
  if (settings.dryRun) return dryRun(context, reporter, scan, settings);
  // Loading the network code takes longer than reading most specs.
  const { submitPrepared } = await import("./submit-prepared.ts");
  return submitPrepared(context, reporter, submitted);
}
