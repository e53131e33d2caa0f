import { exitCodeOf } from "@waymark/journeys/result/result.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { runJourney } from "@waymark/journeys/run/run-journey.ts";
import type { RunOptions } from "@waymark/journeys/run/state.ts";
import { systemClock } from "@waymark/journeys/run/system-clock.ts";
import type { RunDependencies } from "@waymark/journeys/run/transport.ts";
import type { CliContext } from "../../../context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { plural, printable } from "../../../lib/text.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import type { ParsedDescriptions } from "../files/file-access.ts";
import { interruptOnce } from "./interrupt.ts";
import { loadRunnable } from "./load-runnable.ts";
import type { Runnable } from "./load-runnable.ts";
import { openTransport } from "./network.ts";
import { planRuns } from "./plan.ts";
import type { PlannedRun } from "./plan.ts";
import { secretResolver } from "./secrets.ts";
import { runSettings } from "./settings.ts";
import type { RunCommandOptions, RunSettings } from "./settings.ts";
import { canRewriteLines } from "../../../lib/output.ts";
import { styleFor } from "./style.ts";
import { createPrinter, labelOf } from "./terminal.ts";
import { writeReports } from "./write-reports.ts";
import { writeLine } from "../../../lib/output.ts";

/** Runs journeys, shows how they go, writes the reports and gives the exit code. */
export async function runJourneys(context: CliContext, options: RunCommandOptions): Promise<number> {
  const settings = runSettings(context, options);
  const runnables: Runnable[] = [];
  const parsed: ParsedDescriptions = new Map();
  for (const file of options.files) {
    runnables.push(await loadRunnable(context, { ...options, file, parsed }));
  }
  for (const { warnings } of runnables) for (const line of warnings) writeLine(context.stderr, line);
  checkServers(runnables, settings.servers);
  const runs = await planRuns(context, runnables, options);
  const resolveSecret = await secretResolver(context, options.secret);
  const network = await openTransport(context, options);
  const interrupt = interruptOnce(() => {
    writeLine(
      context.stderr,
      "Interrupted: what the journeys made is torn down. Interrupt again to stop at once.",
    );
  });
  try {
    const { kept, exitCode } = await runAll(context, runs, {
      settings,
      bail: options.bail === true,
      deps: { transport: network.transport, clock: systemClock, resolveSecret },
      runOptions: {
        servers: settings.servers,
        runner: "cli",
        signal: interrupt.signal,
        strictContract: options.strictContract === true,
        followRedirects: options.followRedirects === true,
        ...(settings.timeoutMs === undefined ? {} : { limits: { runMs: settings.timeoutMs } }),
      },
    });
    await writeReports(context, settings.reports, kept);
    return exitCode;
  } finally {
    network[Symbol.dispose]();
    interrupt[Symbol.dispose]();
  }
}

interface Running {
  settings: RunSettings;
  bail: boolean;
  deps: RunDependencies;
  runOptions: RunOptions;
}

/** Results are kept only where a report wants them: ten thousand rows need no more memory than ten. */
async function runAll(
  context: CliContext,
  runs: readonly PlannedRun[],
  { settings, bail, deps, runOptions }: Running,
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
      const seed = seedOf(settings.seed, { at, runs: runs.length });
      const result = await runJourney(runnable.prepared, deps, {
        ...runOptions,
        ...seed,
        inputs,
        ...printer,
      });
      runOptions.signal?.removeEventListener("abort", printer.onInterrupt);
      printer.onEnd(result);
      if (settings.reports.length > 0) kept[at] = result;
      ended[result.status === "passed" ? "passed" : "failed"]++;
      ended.exitCode = Math.max(ended.exitCode, exitCodeOf(result));
    }
  };
  await Promise.all(Array.from({ length: Math.min(settings.parallel, runs.length) }, worker));
  const notRun = runs.length - ended.passed - ended.failed;
  if (runs.length > 1 && !(settings.show === "failures" && ended.exitCode === 0)) {
    const left = notRun > 0 ? `, ${notRun} not started` : "";
    writeLine(
      stream,
      `${plural(runs.length, "run")}: ${ended.passed} passed, ${ended.failed} did not${left}`,
    );
  }
  const exitCode = notRun > 0 && ended.exitCode === 0 ? JOURNEY_EXIT.aborted : ended.exitCode;
  // In the order of the command line, whichever ended first.
  return { kept: kept.filter((result) => result !== undefined), exitCode };
}

/** Of several runs each has a seed of its own: rows that share theirs would make the same ids. */
function seedOf(seed: string | undefined, { at, runs }: { at: number; runs: number }): { seed?: string } {
  if (seed === undefined) return {};
  return { seed: runs === 1 ? seed : `${seed}.${at + 1}` };
}

/** A server for a source that no journey has is a slip of the pen, and would otherwise go unnoticed. */
function checkServers(runnables: readonly Runnable[], servers: Readonly<Record<string, string>>): void {
  const known = new Set(runnables.flatMap(({ prepared }) => Object.keys(prepared.artifact.program.sources)));
  const unknown = Object.keys(servers).find((name) => !known.has(name));
  if (unknown === undefined) return;
  const there = known.size === 0 ? "they have none" : `there is ${[...known].join(", ")}`;
  throw usageError(`--server names a source that no journey has, "${printable(unknown, 60)}": ${there}.`);
}
