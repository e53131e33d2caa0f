import { reportError } from "../../framework/report-error.ts";
import type { CliContext } from "../../framework/context.ts";
import { CliError, EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { writeLine } from "../../lib/output.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { plural, printable } from "../../lib/text.ts";
import { decideFindings } from "./decide-findings.ts";
import { contractChecker } from "./check-contract.ts";
import { noteLeftOver, openForeign } from "./foreign-reports.ts";
import type { ListedService } from "./listed-services.ts";
import { manySummaries } from "./many-summaries.ts";
import { type PreparedScan, prepareScan } from "./prepare-scan.ts";
import { oneOfMany, printFailure, resultStream, type StoredRun } from "./print-result.ts";
import { sendOrShow, showFindings } from "./send-or-show.ts";
import { outputSetter } from "./set-outputs.ts";
import type { ScanSettings } from "./settings.ts";
import type { ReadPolicy } from "./severity-policy.ts";
import type { ScanToSubmit } from "./submit-prepared.ts";
import { specFiles } from "./spec-files.ts";

/**
 * Reads every file that matches the pattern, and submits each as a scan of its own service. Sends nothing if one of them is wrong.
 * @returns the highest exit code
 */
export async function runManyScans(
  context: CliContext,
  reporter: Reporter,
  settings: ScanSettings,
  readPolicy: ReadPolicy,
): Promise<ExitCode> {
  const files =
    settings.listed ??
    specFiles(context.cwd, settings.spec).map((spec): ListedService => ({ spec, service: "" }));
  const prepared = await prepareAll(context, reporter, files, settings, readPolicy);
  assertDistinct(prepared);
  const scans = await decideFindings(context, reporter, settings, prepared);
  await showFindings(context, scans, settings);
  const setOutputs = outputSetter(context, reporter);
  const summaries = manySummaries(reporter, settings.summaryFiles);
  let exitCode: ExitCode = EXIT_CODES.ok;
  let { times } = context;
  for (const scan of scans) {
    const { spec, payload } = scan;
    const owner = files.find((file) => file.spec === spec)?.owner ?? settings.owner;
    const own = { ...settings, spec, owner, service: payload.service.name };
    if (!own.quiet && own.format === "text") {
      writeLine(resultStream(context, own), printable(`${own.service} (${spec})`, 1_000));
    }
    const submitted = {
      scan,
      settings: own,
      onStored: (run: StoredRun) => setOutputs(own, run),
      onSummary: (markdown: string) => {
        summaries.add(scan, markdown);
      },
    };
    const ended = await sendOne({ ...context, times }, reporter, submitted);
    // A server that is down was waited for once; the other scans are only tried, so that a spool keeps them.
    if (ended === EXIT_CODES.unavailable) times = { ...times, attemptsMax: 1 };
    if (ended > exitCode) exitCode = ended;
  }
  await summaries.write();
  return exitCode;
}

/** Reads all files. @throws {CliError} with every file that is wrong */
async function prepareAll(
  context: CliContext,
  reporter: Reporter,
  files: readonly ListedService[],
  settings: ScanSettings,
  readPolicy: ReadPolicy,
): Promise<PreparedScan[]> {
  const scans: PreparedScan[] = [];
  const checkContract = contractChecker(context, reporter, settings);
  const foreign = await openForeign(context, reporter, settings);
  const faults: string[] = [];
  for (const { spec, service } of files) {
    try {
      const named = namedReporter(reporter, spec);
      scans.push(
        await prepareScan(
          context,
          named,
          { ...settings, spec, service },
          { checkContract, foreign, readPolicy },
        ),
      );
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      faults.push(`${spec}: ${error.message}`, ...error.details.map((detail) => `  ${detail}`));
    }
  }
  if (faults.length === 0) {
    noteLeftOver(reporter, foreign);
    return scans;
  }
  const wrong = files.length - scans.length;
  throw usageError(
    `${wrong} of ${plural(files.length, "description")} can't be scanned, so nothing was sent:`,
    {
      details: faults,
    },
  );
}

/** @throws {CliError} if two descriptions are of one service: the second scan would replace the first */
function assertDistinct(scans: readonly PreparedScan[]): void {
  const nameOf = ({ payload }: PreparedScan) => payload.service.name;
  const repeated = [...new Set(scans.map(nameOf))]
    .map((name) => ({ name, same: scans.filter((scan) => nameOf(scan) === name) }))
    .filter(({ same }) => same.length > 1);
  if (repeated.length === 0) return;
  throw usageError("Several descriptions have the same service name, so nothing was sent:", {
    details: [
      ...repeated.map(({ name, same }) => printable(`${name}: ${same.map(({ spec }) => spec).join(", ")}`)),
      "Change a name in waymark.yaml or a title, scan them one by one with --service, or use the other kind of --service-from.",
    ],
  });
}

async function sendOne(context: CliContext, reporter: Reporter, submitted: ScanToSubmit): Promise<ExitCode> {
  const { settings } = submitted;
  try {
    return await sendOrShow(context, reporter, submitted);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { exitCode, message, details, fields } = error;
    const named = new CliError(exitCode, `${printable(settings.spec, 300)}: ${message}`, {
      cause: error,
      details,
      fields: { ...oneOfMany(settings), ...fields },
    });
    if (settings.format !== "text") printFailure(context, named, settings.format);
    reportError(named, context);
    return exitCode;
  }
}

/** A reporter that says which file its notes are about. */
function namedReporter(reporter: Reporter, spec: string): Reporter {
  const named = (text: string) => `${printable(spec, 300)}: ${text}`;
  return {
    ...reporter,
    note: (text) => reporter.note(named(text)),
    omission: (text, details) => reporter.omission(named(text), details),
  };
}
