import type { ApiConnection } from "../../api/api-client.ts";
import {
  type AcceptedScan,
  type ComparedChanges,
  getBrokenJourneys,
  getChanges,
  promoteScanRun,
} from "../../api/scans-api.ts";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import type { CliContext } from "../../framework/context.ts";
import { CliError, EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { isTerminal, writeJson, writeLine } from "../../lib/output.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { changeLines } from "../../report/change-lines.ts";
import { describeChanges } from "../../report/describe-changes.ts";
import { placeFinder } from "../../report/place-finder.ts";
import { openConnection } from "../../framework/connect.ts";
import { API_KEY_REQUIRED } from "../../framework/connection-flags.ts";
import type { ContractCheck } from "../contract/contract-check.ts";
import type { ContractResult } from "../contract/describe-check.ts";
import { findService } from "../../api/services-api.ts";
import { checkAccess } from "./check-access.ts";
import { followRun } from "./follow-run.ts";
import type { Gates } from "./gate-settings.ts";
import { type FailedGate, evaluateGates, needsComparison, type ScanBreaks } from "./gates.ts";
import type { PreparedScan } from "./prepare-scan.ts";
import {
  oneOfMany,
  printFailure,
  printGates,
  printJson,
  printRun,
  type StoredRun,
  storedRun,
} from "./print-result.ts";
import { withServiceDefault } from "./service-default.ts";
import { hasFindings } from "./has-findings.ts";
import type { ScanSettings } from "./settings.ts";
import { summarize } from "./summarize.ts";
import { uploadScan } from "./upload-scan.ts";

export interface ScanToSubmit {
  scan: PreparedScan;
  settings: ScanSettings;
  /** Called when the server has stored the scan, before the steps that may still fail. */
  onStored: (run: StoredRun) => Promise<void>;
  /** Takes the summary of one of many scans. Otherwise it is added to the files of summaries. */
  onSummary?: (markdown: string) => void;
}

/** Submits a scan, waits for it and evaluates its gates if requested, and prints the result. */
export async function submitPrepared(
  context: CliContext,
  reporter: Reporter,
  { scan, settings: given, onStored, onSummary }: ScanToSubmit,
): Promise<ExitCode> {
  const { apiKey, destination, extraCa } = given;
  if (apiKey === undefined) throw usageError(API_KEY_REQUIRED);
  const connection = openConnection(context, reporter, { apiKey, destination, extraCa });
  const settings = await withServiceDefault(connection, given);
  await checkAccess(connection, settings);
  await announceCheck(context, reporter, { scan, settings });
  reporter.progress(`Submitting to ${connection.baseUrl}…`);
  const upload = await uploadScan(context, connection, { scan, settings });
  if (upload.accepted === undefined) {
    writeLine(context.stderr, `Warning: ${upload.problem.message}`);
    for (const detail of upload.problem.details) writeLine(context.stderr, `  ${detail}`);
    if (settings.format !== "text") printFailure(context, upload.problem, settings.format, EXIT_CODES.ok);
    return EXIT_CODES.ok;
  }
  const run = storedRun(upload.accepted, connection.baseUrl);
  // Printed before the steps that may still fail, because the run exists.
  printRun(context, run, settings);
  await onStored(run);
  // With gates, the run becomes current only after they pass, and their result says so.
  const isDecided = !settings.promote || settings.gates === undefined;
  if (isDecided && settings.promotionNote !== undefined) reporter.note(settings.promotionNote);
  const placeOf = placeFinder(scan.findings, context.cwd);
  const ended: Ended = { accepted: upload.accepted, run, scan, settings, placeOf };
  let conclusion: Conclusion | undefined;
  try {
    conclusion = await conclude(connection, reporter, ended);
  } finally {
    const { changes, breaks } = conclusion ?? {};
    const mayCompare = conclusion !== undefined && !settings.promote;
    const told = { changes, breaks, mayCompare, scan, settings, onSummary };
    await summarize(reporter, { connection, run, ...told });
  }
  const { broken, changes, mayApprove } = conclusion;
  await showVerdicts(context, ended);
  if (changes !== undefined) await showChanges(context, changes, ended);
  if (settings.format !== "text") await printJson(context, { run, scan, broken, settings });
  printGates(context, broken);
  if (mayApprove) {
    const how = `waymark approve ${run.scanRunId} lists the changes`;
    reporter.note(`an intended change can be approved, so that it passes: ${how}.`);
  }
  await storeFacts(context, reporter, connection, { ...ended, broken });
  return broken.length > 0 ? EXIT_CODES.gate : EXIT_CODES.ok;
}

/** Stores how the gates judged the run, the description that it was scanned from, and the service's owner. None can fail the scan. */
async function storeFacts(
  context: CliContext,
  reporter: Reporter,
  connection: ApiConnection,
  { run: { scanRunId }, accepted, scan, settings, broken }: Ended & Pick<Conclusion, "broken">,
): Promise<void> {
  if (settings.gates !== undefined) {
    const { sendGates } = await import("./send-gates.ts");
    await sendGates(connection, reporter, { scanRunId, gates: settings.gates, failed: broken });
  }
  if (settings.storesDescription) {
    const { sendDescription } = await import("./send-description.ts");
    await sendDescription(context, reporter, connection, { scan, settings, scanRunId });
  }
  // A pull request must not choose the owner.
  if (settings.promote && broken.length === 0 && accepted.serviceId !== undefined) {
    const { setOwner } = await import("./set-owner.ts");
    await setOwner(context, reporter, connection, { settings, serviceId: accepted.serviceId });
  }
}

/** Says what the scan changes for clients: on a terminal each change, elsewhere in one line. A failed gate says it itself. */
async function announceCheck(
  context: CliContext,
  reporter: Reporter,
  { scan: { check }, settings }: Pick<ScanToSubmit, "scan" | "settings">,
): Promise<void> {
  const { gates, promote, storesDescription, format, quiet } = settings;
  if (gates?.contract !== undefined && promote && !storesDescription)
    reporter.note("the description is not stored, so the next scan can't be compared with this one.");
  if (check === undefined) return;
  const { describeCheck } = await import("../contract/describe-check.ts");
  const isGate = gates?.contract !== undefined;
  // A failed gate says why nothing was compared, and of a service's first scan nobody expects it.
  const isSaid = check.status === "not_compared" && (isGate || check.reason === "no_base");
  if (!isSaid) reporter.note(describeCheck(check));
  if (check.status === "compared" && check.note !== undefined) reporter.note(check.note);
  if (check.status !== "compared" || !isTerminal(context.stderr) || quiet || format !== "text") return;
  const { verdictLines } = await import("../contract/verdict-lines.ts");
  for (const line of verdictLines(check.comparison)) writeLine(context.stderr, line);
}

/** Prints a JSON line for each verdict. */
async function showVerdicts({ stdout }: CliContext, { scan, settings }: Ended): Promise<void> {
  const { check } = scan;
  if (settings.format !== "jsonl" || check?.status !== "compared") return;
  for (const verdict of check.comparison.verdicts)
    writeJson(stdout, { type: "verdict", ...oneOfMany(settings), ...verdict });
}

/** Lists the changes that a gate compared, as JSON lines or on a terminal. */
async function showChanges(
  context: CliContext,
  changes: ComparedChanges,
  { settings, placeOf }: Ended,
): Promise<void> {
  if (settings.format === "jsonl") {
    const { changeRecords } = await import("../../report/json-lines.ts");
    for (const record of changeRecords(changes)) {
      writeJson(context.stdout, { ...record, ...oneOfMany(settings) });
    }
  }
  if (!isTerminal(context.stderr) || settings.quiet || settings.format !== "text") return;
  const described = describeChanges(changes, placeOf);
  for (const line of changeLines(described, { findings: hasFindings(settings) })) {
    writeLine(context.stderr, line);
  }
}

interface Ended {
  accepted: AcceptedScan;
  run: StoredRun;
  scan: PreparedScan;
  settings: ScanSettings;
  /** Returns the place of a finding. */
  placeOf: (finding: NormalizedFinding) => string;
}

interface Conclusion {
  broken: FailedGate[];
  /** The comparison with the current run, if a gate needed it and there is a current run. */
  changes: ComparedChanges | undefined;
  /** The journeys that the scan breaks, if a gate asked for them. */
  breaks: ScanBreaks | undefined;
  /** True if the gate on changes of the contract failed because of changes, and not because nothing was compared. */
  mayApprove: boolean;
}

const NO_GATES: Conclusion = { broken: [], changes: undefined, breaks: undefined, mayApprove: false };

/** Evaluates the gate on changes of the contract, and tells the other gates what the contracts say about removed endpoints. */
async function judgeContract(
  gates: Gates,
  { compared, check }: { compared: ComparedChanges | undefined; check: ContractCheck | undefined },
): Promise<{ changes: ComparedChanges | undefined; contract: ContractResult }> {
  if (gates.contract === undefined && check === undefined)
    return { changes: compared, contract: { failed: [] } };
  const { evaluateCheck, withContract } = await import("../contract/describe-check.ts");
  return {
    changes: compared === undefined ? undefined : withContract(compared, check),
    contract: evaluateCheck(gates.contract, check),
  };
}

/** Fails the gate on changes of the contract if another run became current since they were compared. */
async function overtaken(
  connection: ApiConnection,
  { settings: { gates, service }, scan: { check } }: Ended,
): Promise<FailedGate[]> {
  if (gates?.contract === undefined || check === undefined) return [];
  const current = (await findService(connection, service))?.currentScanRunId ?? null;
  if (current === null || current === check.against) return [];
  const cause = `not compared: the run ${current} became current while this scan was sent. Scan again.`;
  return [{ gate: `--fail-on ${gates.contract}`, causes: [cause] }];
}

/** Waits and evaluates gates if requested, and promotes a run when its gates pass. */
async function conclude(connection: ApiConnection, reporter: Reporter, ended: Ended): Promise<Conclusion> {
  const { scanRunId, status } = ended.accepted;
  const { gates, promote, waitSeconds } = ended.settings;
  try {
    if (waitSeconds !== undefined && status !== "completed") {
      await followRun(connection, reporter, { scanRunId, timeoutSeconds: waitSeconds });
    }
    if (gates === undefined) return NO_GATES;
    const { scan, placeOf } = ended;
    const compared = needsComparison(gates) ? await getChanges(connection, scanRunId) : undefined;
    const { changes, contract } = await judgeContract(gates, { compared, check: scan.check });
    const breaks = gates.failOnBrokenJourneys ? await getBrokenJourneys(connection, scanRunId) : undefined;
    const result = evaluateGates(gates, { ...scan, changes, breaks, placeOf });
    for (const note of [...result.notes, ...[contract.note ?? []].flat()]) reporter.note(note);
    const failed = [...contract.failed, ...result.failed];
    if (promote && failed.length === 0) failed.push(...(await overtaken(connection, ended)));
    if (promote && failed.length === 0) await promoteScanRun(connection, scanRunId);
    return {
      broken: failed,
      changes: changes?.against === null ? undefined : changes,
      breaks,
      mayApprove: contract.failed.length > 0 && scan.check?.status === "compared",
    };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { exitCode, message, details } = error;
    throw new CliError(exitCode, message, { cause: error, details, fields: { ...ended.run } });
  }
}
