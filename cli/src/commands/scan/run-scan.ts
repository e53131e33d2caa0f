import type { CliContext } from "../../framework/context.ts";
import { CliError, type ExitCode } from "../../lib/cli-error.ts";
import { createReporter } from "../../lib/reporter.ts";
import { decideFindings } from "./decide-findings.ts";
import { contractChecker } from "./check-contract.ts";
import { describeIdleGate } from "./gates.ts";
import { wantsJson } from "../../framework/output-format.ts";
import { noteLeftOver, openForeign } from "./foreign-reports.ts";
import { prepareScan } from "./prepare-scan.ts";
import { printFailure } from "./print-result.ts";
import { sendOrShow, showFindings } from "./send-or-show.ts";
import { outputSetter } from "./set-outputs.ts";
import { type ScanFlags, resolveScanSettings } from "./settings.ts";

/** Reads the spec, submits it, and prints the result. */
export async function runScan(context: CliContext, flags: ScanFlags): Promise<ExitCode> {
  try {
    const settings = await resolveScanSettings(context, flags);
    const reporter = createReporter(context.stderr, settings);
    // Rules of other tools may give any severity.
    const severities = settings.lint?.severities ?? new Map();
    const idle = settings.foreign === undefined ? describeIdleGate(settings.gates, severities) : undefined;
    if (idle !== undefined) reporter.note(idle);
    if (settings.serviceFrom !== undefined) {
      const { runManyScans } = await import("./run-many-scans.ts");
      return await runManyScans(context, reporter, settings);
    }
    const foreign = await openForeign(context, reporter, settings);
    const checkContract = contractChecker(context, reporter, settings);
    const prepared = await prepareScan(context, reporter, settings, { checkContract, foreign });
    noteLeftOver(reporter, foreign);
    const [scan = prepared] = await decideFindings(context, reporter, settings, [prepared]);
    await showFindings(context, [scan], settings);
    const setOutputs = outputSetter(context, reporter);
    return await sendOrShow(context, reporter, {
      scan,
      settings,
      onStored: (run) => setOutputs(settings, run),
    });
  } catch (error) {
    if (wantsJson(flags) && error instanceof CliError) {
      printFailure(context, error, flags.format === "jsonl" ? "jsonl" : "json");
    }
    throw error;
  }
}
