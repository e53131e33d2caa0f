import type { PolicySeverity } from "@waymark/shared/scans/severity-policy/schema.ts";
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
import { type ScanFlags, type ScanSettings, resolveScanSettings } from "./settings.ts";
import { describeOff } from "../../lint/severities.ts";
import { policyReader, type ReadPolicy } from "./severity-policy.ts";

/** Reads the spec, submits it, and prints the result. */
export async function runScan(context: CliContext, flags: ScanFlags): Promise<ExitCode> {
  try {
    const settings = await resolveScanSettings(context, flags);
    const reporter = createReporter(context.stderr, settings);
    const readPolicy = policyReader(context, reporter, settings);
    const idle = await idleGate(settings, readPolicy);
    if (idle !== undefined) reporter.note(idle);
    const off = describeOff(settings.lint ?? settings.foreign);
    if (off !== undefined) reporter.note(off);
    if (settings.serviceFrom !== undefined) {
      const { runManyScans } = await import("./run-many-scans.ts");
      return await runManyScans(context, reporter, settings, readPolicy);
    }
    const foreign = await openForeign(context, reporter, settings);
    const checkContract = contractChecker(context, reporter, settings);
    const prepared = await prepareScan(context, reporter, settings, { checkContract, foreign, readPolicy });
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

/** Returns why the gate on findings can't fail; undefined if it can. */
async function idleGate(
  { lint, foreign, gates }: ScanSettings,
  readPolicy: ReadPolicy,
): Promise<string | undefined> {
  // Rules of other tools may give any severity.
  if (foreign !== undefined) return undefined;
  const severities = lint?.severities ?? new Map<string, PolicySeverity>();
  if (describeIdleGate(gates, severities) === undefined) return undefined;
  return describeIdleGate(gates, new Map([...severities, ...(await readPolicy())]));
}
