import { type AcceptedScan, type ApiConnection, getChanges, promoteScanRun } from "../../api-client.ts";
import type { CliContext } from "../../context.ts";
import { EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { openConnection } from "../connect.ts";
import { API_KEY_REQUIRED } from "../connection-flags.ts";
import { followRun } from "./follow-run.ts";
import { type FailedGate, evaluateGates } from "./gates.ts";
import type { PreparedScan } from "./prepare-scan.ts";
import { printFailure, printGates, printResult } from "./print-result.ts";
import type { ScanSettings } from "./settings.ts";
import { uploadScan } from "./upload-scan.ts";
import { writeLine } from "../../lib/output.ts";

/** Submits a scan, waits for it and evaluates its gates if requested, and prints the result. */
export async function submitPrepared(
  context: CliContext,
  reporter: Reporter,
  scan: PreparedScan,
  settings: ScanSettings,
): Promise<ExitCode> {
  const { apiKey, destination, extraCa } = settings;
  if (apiKey === undefined) throw usageError(API_KEY_REQUIRED);
  const connection = openConnection(context, reporter, { apiKey, destination, extraCa });
  reporter.progress(`Submitting to ${connection.baseUrl}…`);
  const upload = await uploadScan(connection, scan.payload, settings);
  if (upload.accepted === undefined) {
    writeLine(context.stderr, `Warning: ${upload.problem.message}`);
    for (const detail of upload.problem.details) writeLine(context.stderr, `  ${detail}`);
    if (settings.json) printFailure(context, upload.problem, EXIT_CODES.ok);
    return EXIT_CODES.ok;
  }
  const { accepted } = upload;
  // Without --json, prints the id before the steps that may still fail, because the run exists.
  if (!settings.json) await printResult(context, { accepted, baseUrl: connection.baseUrl, scan }, settings);
  const broken = await conclude(connection, reporter, { accepted, scan, settings });
  if (settings.json)
    await printResult(context, { accepted, baseUrl: connection.baseUrl, scan, broken }, settings);
  printGates(context, broken);
  return broken.length > 0 ? EXIT_CODES.gate : EXIT_CODES.ok;
}

/** Waits and evaluates gates if requested, and promotes a run when its gates pass. */
async function conclude(
  connection: ApiConnection,
  reporter: Reporter,
  run: { accepted: AcceptedScan; scan: PreparedScan; settings: ScanSettings },
): Promise<FailedGate[]> {
  const { scanRunId, status } = run.accepted;
  const { gates, waitSeconds } = run.settings;
  if (waitSeconds !== undefined && status !== "completed") {
    await followRun(connection, reporter, { scanRunId, timeoutSeconds: waitSeconds });
  }
  if (gates === undefined) return [];
  const result = evaluateGates(gates, run.scan.findings, await getChanges(connection, scanRunId));
  for (const note of result.notes) reporter.note(note);
  if (result.failed.length === 0) await promoteScanRun(connection, scanRunId);
  return result.failed;
}
