import { randomBytes, randomUUID } from "node:crypto";
import type { NotRun } from "@waymark/journeys/report/not-run.ts";
import { exitCodeOf } from "@waymark/journeys/result/result.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { runJourney } from "@waymark/journeys/run/run-journey.ts";
import type { RunOptions } from "@waymark/journeys/run/state.ts";
import { systemClock } from "@waymark/journeys/run/system-clock.ts";
import type { RunDependencies } from "@waymark/journeys/run/transport.ts";
import type { CliContext } from "../../../framework/context.ts";
import { CliError, usageError } from "../../../lib/cli-error.ts";
import { plural } from "../../../lib/text.ts";
import { reportError } from "../../../framework/report-error.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { journeyFiles } from "../files/files-below.ts";
import type { ParsedDescriptions } from "../files/file-access.ts";
import { displayPath } from "../files/names.ts";
import type { Uploader } from "../upload/uploader.ts";
import { interruptOnce } from "./interrupt.ts";
import { loadRunnable } from "./load-runnable.ts";
import type { Runnable } from "./load-runnable.ts";
import { openTransport } from "./network.ts";
import { type CiReport, openCiReport } from "./report-to-ci.ts";
import { planRuns } from "./plan.ts";
import type { PlannedRun } from "./plan.ts";
import { secretResolver } from "./secrets.ts";
import { checkServers } from "./servers.ts";
import { runSettings } from "./settings.ts";
import type { LocalRunOptions, RunSettings } from "./settings.ts";
import { canRewriteLines } from "../../../lib/output.ts";
import { styleFor } from "./style.ts";
import { createPrinter, labelOf } from "./terminal.ts";
import { writeReports } from "./write-reports.ts";
import { writeLine } from "../../../lib/output.ts";

/** Runs journeys, shows their progress, writes the reports and returns the exit code. */
export async function runJourneys(context: CliContext, options: LocalRunOptions): Promise<number> {
  if ((options.files.length === 0) === (options.replay === undefined))
    throw usageError("Give the journeys to run, or --replay with the id of a run on the server.");
  const settings = runSettings(context, options);
  const { runs, notRun, ...repeated } = await runsOf(context, options, settings);
  const uploader = await uploaderFor(context, options);
  const resolveSecret = await secretResolver(context, options.secret);
  const network = await openTransport(context, options);
  const interrupt = interruptOnce(() => {
    writeLine(
      context.stderr,
      "Interrupted: what the journeys made is torn down. Interrupt again to stop at once.",
    );
  });
  const ciReport = openCiReport(context);
  for (const journey of notRun) ciReport.addNotRun(journey);
  try {
    const { kept, exitCode } = await runAll(context, runs, {
      ciReport,
      notRun: notRun.length,
      settings: { ...settings, seed: repeated.seed ?? settings.seed },
      bail: options.bail === true,
      uploaded: (result, runnable) => uploader?.upload(result, documentPath(context, options, runnable)),
      deps: { transport: network.transport, clock: systemClock, resolveSecret },
      runOptions: {
        servers: settings.servers,
        runner: "cli",
        signal: interrupt.signal,
        strictContract: options.strictContract === true || repeated.strictContract,
        followRedirects: options.followRedirects === true,
        ...(settings.timeoutMs === undefined ? {} : { limits: { runMs: settings.timeoutMs } }),
      },
    });
    await ciReport.write();
    await writeReports(context, settings.reports, kept, notRun);
    return Math.max(exitCode, uploader?.exitCode() ?? 0, notRun.length > 0 ? JOURNEY_EXIT.document : 0);
  } finally {
    network[Symbol.dispose]();
    interrupt[Symbol.dispose]();
  }
}

/** The runs of a command line, or the one that it repeats. */
async function runsOf(
  context: CliContext,
  options: LocalRunOptions,
  settings: RunSettings,
): Promise<{ runs: PlannedRun[]; notRun: NotRun[]; seed?: string; strictContract: boolean }> {
  const { replay: runId } = options;
  if (runId !== undefined) {
    const { loadReplay } = await import("./replay.ts");
    const { runnable, inputs, ...rest } = await loadReplay(context, { ...options, replay: runId });
    checkServers([runnable], settings.servers);
    const planned = await planRuns(context, [runnable], { ...options, hasAll: true });
    return {
      ...rest,
      notRun: [],
      runs: planned.map((run) => ({ ...run, inputs: { ...inputs, ...run.inputs } })),
    };
  }
  const { runnables, notRun } = await loadRunnables(context, options);
  for (const { warnings } of runnables) for (const line of warnings) writeLine(context.stderr, line);
  // A journey that can't be read may be the one that has the source or the input.
  const hasAll = notRun.length === 0;
  if (hasAll) checkServers(runnables, settings.servers);
  return { runs: await planRuns(context, runnables, { ...options, hasAll }), notRun, strictContract: false };
}

/**
 * Loads the journeys of a command line. One that can't be loaded is shown at once, and doesn't keep the others from running.
 * @throws {CliError} if the only one can't be loaded, or one of several with `--bail`
 */
async function loadRunnables(
  context: CliContext,
  options: LocalRunOptions,
): Promise<{ runnables: Runnable[]; notRun: NotRun[] }> {
  const runnables: Runnable[] = [];
  const notRun: NotRun[] = [];
  const parsed: ParsedDescriptions = new Map();
  const files = await journeyFiles(context.cwd, options.files);
  for (const file of files) {
    try {
      runnables.push(await loadRunnable(context, { ...options, file, parsed }));
    } catch (error) {
      if (!(error instanceof CliError) || files.length === 1 || options.bail === true) throw error;
      reportError(error, context);
      notRun.push({ file, reason: error.message, details: error.details });
    }
  }
  return { runnables, notRun };
}

/** The path of a journey's document: relative to the working directory, as it was pushed. */
function documentPath(
  { cwd }: CliContext,
  { overlay }: LocalRunOptions,
  { file, isArtifact }: Runnable,
): string | undefined {
  if (isArtifact || file === "-" || overlay.length > 0) return undefined;
  return displayPath(cwd, file);
}

/** Loads the uploader late: most runs upload nothing, and it needs TLS and the schemas of the API. */
async function uploaderFor(context: CliContext, options: LocalRunOptions): Promise<Uploader | undefined> {
  if (options.upload !== true && options.requireUpload !== true) return undefined;
  const { openUploader } = await import("../upload/uploader.ts");
  return openUploader(context, options);
}

interface Running {
  settings: RunSettings;
  ciReport: CiReport;
  /** The number of journeys that can't run. */
  notRun: number;
  bail: boolean;
  /** Called with each result as it comes. */
  uploaded: (result: JourneyResult, runnable: Runnable) => Promise<void> | undefined;
  deps: RunDependencies;
  runOptions: RunOptions;
}

/** Keeps results only if a report needs them, so that ten thousand rows need no more memory than ten. */
async function runAll(
  context: CliContext,
  runs: readonly PlannedRun[],
  { settings, ciReport, notRun, bail, uploaded, deps, runOptions }: Running,
): Promise<{ kept: JourneyResult[]; exitCode: number }> {
  const stream = settings.reports.some(({ file }) => file === "-") ? context.stderr : context.stdout;
  const style = styleFor(stream, context.env);
  const kept: JourneyResult[] = [];
  const ended = { passed: 0, failed: 0, exitCode: 0 };
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < runs.length; at = next++) {
      if ((bail && ended.failed > 0) || runOptions.signal?.aborted === true) return;
      const { runnable, inputs, row } = runs[at] ?? {};
      if (runnable === undefined || inputs === undefined) return;
      const { program, provenance } = runnable.prepared.artifact;
      const label = labelOf(
        { ...program.journey, overlays: provenance.overlays.map(({ id }) => id) },
        row ?? "",
      );
      const alone = settings.parallel === 1 || runs.length === 1;
      const rewrites = canRewriteLines(stream, context.env);
      const printer = createPrinter(stream, { label, show: settings.show, style, alone, rewrites });
      runOptions.signal?.addEventListener("abort", printer.onInterrupt);
      const result = await runJourney(runnable.prepared, deps, {
        ...runOptions,
        ...identityOf(settings.seed, { at, runs: runs.length }),
        inputs,
        ...printer,
      });
      runOptions.signal?.removeEventListener("abort", printer.onInterrupt);
      printer.onEnd(result);
      ciReport.add(result, label);
      await uploaded(result, runnable);
      if (settings.reports.length > 0) kept[at] = result;
      ended[result.status === "passed" ? "passed" : "failed"]++;
      ended.exitCode = Math.max(ended.exitCode, exitCodeOf(result));
    }
  };
  await Promise.all(Array.from({ length: Math.min(settings.parallel, runs.length) }, worker));
  const notStarted = runs.length - ended.passed - ended.failed;
  if (runs.length + notRun > 1 && !(settings.show === "failures" && ended.exitCode === 0 && notRun === 0)) {
    writeLine(stream, totalsLine({ ...ended, notStarted, notRun }));
  }
  const exitCode = notStarted > 0 && ended.exitCode === 0 ? JOURNEY_EXIT.aborted : ended.exitCode;
  // In the order of the command line.
  return { kept: kept.filter((result) => result !== undefined), exitCode };
}

function totalsLine({
  passed,
  failed,
  notStarted,
  notRun,
}: Record<"passed" | "failed" | "notStarted" | "notRun", number>): string {
  const left = notStarted > 0 ? `, ${notStarted} not started` : "";
  const cannotRun = notRun > 0 ? `; ${plural(notRun, "journey")} can't run` : "";
  return `${plural(passed + failed + notStarted, "run")}: ${passed} passed, ${failed} did not${left}${cannotRun}`;
}

/**
 * Each run has its own seed, because rows with the same seed would generate the same ids. The random values come from
 * node:crypto, which is loaded anyway: loading the global crypto takes 2 ms.
 */
function identityOf(
  given: string | undefined,
  { at, runs }: { at: number; runs: number },
): { runId: string; seed: string } {
  const seed = given ?? randomBytes(8).toString("hex");
  return { runId: randomUUID(), seed: given === undefined || runs === 1 ? seed : `${seed}.${at + 1}` };
}
