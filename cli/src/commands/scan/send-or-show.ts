import type { CliContext } from "../../framework/context.ts";
import type { ExitCode } from "../../lib/cli-error.ts";
import { isTerminal, writeJson, writeLine } from "../../lib/output.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { findingLines } from "../../report/finding-lines.ts";
import { reportFindings } from "../../report/report-findings.ts";
import { dryRun } from "./dry-run.ts";
import type { PreparedScan } from "./prepare-scan.ts";
import type { ScanSettings } from "./settings.ts";
import type { ScanToSubmit } from "./submit-prepared.ts";

/** Writes findings to the reports, and lists them on a terminal or as JSON lines. */
export async function showFindings(
  context: CliContext,
  found: Pick<PreparedScan, "findings" | "specFolder">,
  settings: ScanSettings,
): Promise<void> {
  await reportFindings(context, found, settings);
  if (settings.format === "jsonl") {
    const { findingRecord } = await import("../../report/json-lines.ts");
    for (const finding of found.findings) writeJson(context.stdout, findingRecord(finding, context.cwd));
  }
  if (!isTerminal(context.stderr) || settings.quiet || settings.format !== "text") return;
  for (const line of findingLines(found.findings, context.cwd)) writeLine(context.stderr, line);
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
