import { type AcceptedScan, type ApiConnection, getChanges, promoteScanRun } from "../../api-client.ts";
import type { CliContext } from "../../context.ts";
import { CliError, EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { createReporter, type Reporter } from "../../lib/reporter.ts";
import { reportFindings } from "../../report/report-findings.ts";
import { API_KEY_REQUIRED, openConnection } from "../connect.ts";
import { followRun } from "./follow-run.ts";
import { type BrokenGate, judge } from "./gates.ts";
import { type PreparedScan, prepareScan } from "./prepare-scan.ts";
import { printDryRun, printFailure, printGates, printResult } from "./print-result.ts";
import { type ScanFlags, type ScanSettings, settleScan } from "./settings.ts";
import { uploadScan } from "./upload-scan.ts";

/** Reads the spec, submits it, and prints the three lines of the specification. */
export async function runScan(context: CliContext, flags: ScanFlags): Promise<ExitCode> {
  try {
    const settings = await settleScan(context, flags);
    const reporter = createReporter(context.stderr, settings);
    const scan = await prepareScan(context, reporter, settings);
    await reportFindings(context, scan, settings);
    if (settings.dryRun) return await printDryRun(context, scan.payload, settings);
    return await submit(context, reporter, scan, settings);
  } catch (error) {
    if (flags.json === true && error instanceof CliError) printFailure(context, error);
    throw error;
  }
}

async function submit(
  context: CliContext,
  reporter: Reporter,
  scan: PreparedScan,
  settings: ScanSettings,
): Promise<ExitCode> {
  const { apiKey, apiUrl, extraCa } = settings;
  if (apiKey === undefined) throw usageError(API_KEY_REQUIRED);
  const connection = openConnection(context, reporter, { apiKey, apiUrl, extraCa });
  reporter.progress(`Submitting to ${connection.baseUrl}…`);
  const upload = await uploadScan(connection, scan.payload, settings);
  if (upload.accepted === undefined) {
    context.stderr.write(`Warning: ${upload.problem.message}\n`);
    for (const detail of upload.problem.details) context.stderr.write(`  ${detail}\n`);
    if (settings.json) printFailure(context, upload.problem, EXIT_CODES.ok);
    return EXIT_CODES.ok;
  }
  const { accepted } = upload;
  // Without --json the id is printed before anything that may still fail: the run exists.
  if (!settings.json) await printResult(context, { accepted, baseUrl: connection.baseUrl, scan }, settings);
  const broken = await conclude(connection, reporter, { accepted, scan, settings });
  if (settings.json)
    await printResult(context, { accepted, baseUrl: connection.baseUrl, scan, broken }, settings);
  printGates(context, broken);
  return broken.length > 0 ? EXIT_CODES.gate : EXIT_CODES.ok;
}

/** Waits and judges where that is asked for, and makes a run current once its gates hold. */
async function conclude(
  connection: ApiConnection,
  reporter: Reporter,
  run: { accepted: AcceptedScan; scan: PreparedScan; settings: ScanSettings },
): Promise<BrokenGate[]> {
  const { scanRunId, status } = run.accepted;
  const { gates, waitSeconds } = run.settings;
  if (waitSeconds !== undefined && status !== "completed") {
    await followRun(connection, reporter, { scanRunId, timeoutSeconds: waitSeconds });
  }
  if (gates === undefined) return [];
  const verdict = judge(gates, run.scan.findings, await getChanges(connection, scanRunId));
  for (const note of verdict.notes) reporter.note(note);
  if (verdict.broken.length === 0) await promoteScanRun(connection, scanRunId);
  return verdict.broken;
}
