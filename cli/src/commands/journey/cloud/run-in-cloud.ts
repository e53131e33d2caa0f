import type { NotRun } from "@waymark/journeys/report/not-run.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { exitCodeOf } from "@waymark/journeys/result/result.ts";
import type { ApiConnection } from "../../../api/api-client.ts";
import { reportError } from "../../../framework/report-error.ts";
import type { CliContext } from "../../../framework/context.ts";
import { CliError, type ExitCode, usageError } from "../../../lib/cli-error.ts";
import { canRewriteLines, writeLine } from "../../../lib/output.ts";
import { createReporter } from "../../../lib/reporter.ts";
import { printable } from "../../../lib/text.ts";
import { connect } from "../../../framework/connect.ts";
import { readAssignments } from "../assignments.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { interruptOnce } from "../run/interrupt.ts";
import { readInputs } from "../run/plan.ts";
import { readRows, rowLabel } from "../run/rows.ts";
import {
  type LocalRunOptions,
  type RunCommandOptions,
  type RunSettings,
  runSettings,
} from "../run/settings.ts";
import { openCiReport } from "../run/report-to-ci.ts";
import { styleFor } from "../run/style.ts";
import { createPrinter, labelOf, type RunPrinter } from "../run/terminal.ts";
import { writeReports } from "../run/write-reports.ts";
import type { StartJourneyRunRequest } from "@waymark/shared/journey-runs/schema.ts";
import {
  cancelRun,
  findEnvironmentId,
  followRun,
  readRunResult,
  startRun,
  type StartedRun,
} from "../../../api/runs-api.ts";

/** The time that one request waits for the next step. */
const WAIT_SECONDS = 15;

export type CloudRunOptions = LocalRunOptions & { wait: boolean };

/** Options for runs on this machine only: the server runs its own documents, with its own secrets and servers. */
const LOCAL_ONLY = [
  "secret",
  "server",
  "source",
  "overlay",
  "workflow",
  "parallel",
  "bail",
  "followRedirects",
  "timeout",
  "forbidPrivate",
  "upload",
  "requireUpload",
  "spool",
  "replay",
] as const;

/** The exit codes of a document, and of inputs, that the server refuses to run. */
const REFUSED: ReadonlySet<ExitCode> = new Set([JOURNEY_EXIT.document, JOURNEY_EXIT.input]);

/** Starts runs of pushed documents on the server, one after the other, and shows their progress. */
export async function runInCloud(context: CliContext, options: CloudRunOptions): Promise<number> {
  assertCloudOptions(options);
  const settings = runSettings(context, options);
  const rows = await rowsOf(context, options);
  const connection = await connect(context, createReporter(context.stderr, { quiet: false }), options);
  const name = options.env ?? "";
  const environmentId = await findEnvironmentId(connection, name);
  if (environmentId === null) throw usageError(`The server has no environment "${printable(name, 60)}".`);
  const results: JourneyResult[] = [];
  const notRun: NotRun[] = [];
  const ciReport = openCiReport(context);
  let exitCode = 0;
  const planned = plannedRuns(options.files, rows);
  const broken = new Set<string>();
  for (const { path, row, inputs } of planned) {
    // All rows of a document that does not compile would be refused.
    if (broken.has(path)) continue;
    const started = await startOrReport(context, connection, {
      alone: planned.length === 1,
      path,
      row,
      request: {
        environmentId,
        inputs,
        ...(settings.seed === undefined ? {} : { seed: settings.seed }),
        ...(options.strictContract === true ? { strictContract: true } : {}),
      },
    });
    if ("reason" in started) {
      const { exitCode: code, ...refused } = started;
      if (code === JOURNEY_EXIT.document) broken.add(path);
      notRun.push(refused);
      ciReport.addNotRun(refused);
      exitCode = Math.max(exitCode, code);
      continue;
    }
    const { runId, resultUrl } = started;
    if (!options.wait) {
      writeLine(context.stdout, printable(`${runId}  ${path}${row}  ${resultUrl}`, 500));
      continue;
    }
    const result = await follow(context, connection, { runId, name: `${path}${row}`, settings });
    results.push(result);
    ciReport.add(result, labelOf(result.journey, row));
    exitCode = Math.max(exitCode, exitCodeOf(result));
    if (result.error?.code === "cancelled") break;
  }
  if (options.wait) await ciReport.write();
  await writeReports(context, settings.reports, results, notRun);
  return exitCode;
}

/** A run to start: a document with its inputs, and a label that distinguishes it from those of other rows. */
interface PlannedCloudRun {
  path: string;
  inputs: Record<string, unknown>;
  row: string;
}

function plannedRuns(
  paths: readonly string[],
  rows: readonly Omit<PlannedCloudRun, "path">[],
): PlannedCloudRun[] {
  return paths.flatMap((path) => rows.map((row) => ({ path, ...row })));
}

/**
 * Starts the run of a document. One of several that the server refuses, because it does not compile or for its inputs, is shown, and
 * doesn't keep the others from running.
 */
async function startOrReport(
  context: CliContext,
  connection: ApiConnection,
  {
    alone,
    path,
    row,
    request,
  }: { alone: boolean; path: string; row: string; request: Omit<StartJourneyRunRequest, "path"> },
): Promise<StartedRun | (NotRun & { exitCode: ExitCode })> {
  try {
    return await startRun(connection, { ...request, path: path.replace(/^\.\//, "") });
  } catch (error) {
    if (alone || !(error instanceof CliError) || !REFUSED.has(error.exitCode)) throw error;
    writeLine(context.stderr, printable(`${path}${row}:`, 500));
    reportError(error, context);
    const { exitCode, message: reason, details } = error;
    return { file: exitCode === JOURNEY_EXIT.document ? path : `${path}${row}`, reason, details, exitCode };
  }
}

/** @throws {CliError} for options that the server does not know */
function assertCloudOptions(options: CloudRunOptions): void {
  const local = LOCAL_ONLY.filter((name) => {
    const value = options[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
  });
  if (local.length > 0) {
    const names = local.map(
      (name) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    );
    throw usageError(
      `--cloud does not go with ${names.join(", ")}: the server runs its own documents, with the servers and secrets of its environment.`,
    );
  }
  if (options.files.length === 0) throw usageError("Give the paths of the journeys to run.");
  if (options.env === undefined)
    throw usageError("--cloud needs --env: the name of an environment on the server.");
  if (!options.wait && options.report.length > 0)
    throw usageError("--no-wait has no result to report: waymark journey result writes the reports later.");
}

/**
 * Reads the inputs of `--inputs`, `--input` and each row of `--data`, in rising precedence. A text that is valid JSON is read as JSON,
 * and any other one is text, because the command has no schema of a journey on the server.
 */
async function rowsOf(
  context: CliContext,
  { input, inputs, data }: RunCommandOptions,
): Promise<Omit<PlannedCloudRun, "path">[]> {
  const fromFile = inputs === undefined ? {} : await readInputs(context, inputs);
  const common = { ...fromFile, ...valuesOf(readAssignments("--input", input)) };
  if (data === undefined) return [{ inputs: common, row: "" }];
  const rows = await readRows(context, data);
  return rows.map((row, at) => ({
    inputs: { ...common, ...("texts" in row ? valuesOf(row.texts) : row.values) },
    row: rowLabel(at),
  }));
}

function valuesOf(texts: ReadonlyMap<string, string>): Record<string, unknown> {
  return Object.fromEntries([...texts].map(([name, text]) => [name, valueOf(text)]));
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Shows the steps as they end. An interrupt cancels the run; its teardown is waited for. */
async function follow(
  context: CliContext,
  connection: ApiConnection,
  { runId, name, settings }: { runId: string; name: string; settings: RunSettings },
): Promise<JourneyResult> {
  const stream = settings.reports.some(({ file }) => file === "-") ? context.stderr : context.stdout;
  const printer = createPrinter(stream, {
    label: `${name} on the server`,
    show: settings.show,
    style: styleFor(stream, context.env),
    alone: true,
    rewrites: canRewriteLines(stream, context.env),
  });
  const interrupt = interruptOnce(() => {
    writeLine(
      context.stderr,
      "Interrupted: the cloud runner tears down what the journey made. Interrupt again to stop waiting.",
    );
    cancelRun(connection, runId).catch((error: unknown) => {
      writeLine(context.stderr, error instanceof Error ? error.message : "The run could not be cancelled.");
    });
  });
  try {
    await followSteps(connection, { runId, printer, isInterrupted: () => interrupt.signal.aborted });
  } finally {
    interrupt[Symbol.dispose]();
  }
  const result = await readRunResult(connection, runId);
  printer.onEnd(result);
  return result;
}

async function followSteps(
  connection: ApiConnection,
  { runId, printer, isInterrupted }: { runId: string; printer: RunPrinter; isInterrupted: () => boolean },
): Promise<void> {
  for (let after = -1; ;) {
    const waitSeconds = isInterrupted() ? 1 : WAIT_SECONDS;
    const { steps, isFinal } = await followRun(connection, { runId, after, waitSeconds });
    for (const { seq, result } of steps) {
      printer.onStep(result);
      after = seq;
    }
    if (isFinal) return;
  }
}
