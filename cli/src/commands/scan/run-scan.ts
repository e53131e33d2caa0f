import type { CliContext } from "../../context.ts";
import { CliError, type ExitCode } from "../../lib/cli-error.ts";
import { isTerminal, writeLine } from "../../lib/output.ts";
import { createReporter } from "../../lib/reporter.ts";
import { findingLines } from "../../report/finding-lines.ts";
import { reportFindings } from "../../report/report-findings.ts";
import { dryRun } from "./dry-run.ts";
import { describeIdleGate } from "./gates.ts";
import { prepareScan } from "./prepare-scan.ts";
import { printFailure } from "./print-result.ts";
import { type ScanFlags, resolveScanSettings } from "./settings.ts";

/** Reads the spec, submits it, and prints the result. */
export async function runScan(context: CliContext, flags: ScanFlags): Promise<ExitCode> {
  try {
    const settings = await resolveScanSettings(context, flags);
    const reporter = createReporter(context.stderr, settings);
    const idle = describeIdleGate(settings.gates, settings.lint?.severities ?? new Map());
    if (idle !== undefined) reporter.note(idle);
    const scan = await prepareScan(context, reporter, settings);
    await reportFindings(context, scan, settings);
    if (isTerminal(context.stderr) && !settings.quiet && !settings.json) {
      for (const line of findingLines(scan.findings, context.cwd)) writeLine(context.stderr, line);
    }
    if (settings.dryRun) return await dryRun(context, reporter, scan, settings);
    // Loading the network code takes longer than reading most specs.
    const { submitPrepared } = await import("./submit-prepared.ts");
    return await submitPrepared(context, reporter, scan, settings);
  } catch (error) {
    if (flags.json === true && error instanceof CliError) printFailure(context, error);
    throw error;
  }
}
