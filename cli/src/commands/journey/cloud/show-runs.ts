import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { writeJson, writeLine } from "../../../lib/output.ts";
import { createReporter } from "../../../lib/reporter.ts";
import { plural, printable } from "../../../lib/text.ts";
import { connect } from "../../../framework/connect.ts";
import type { ConnectionFlags } from "../../../framework/connection-flags.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { cancelRun, listRuns } from "../../../api/runs-api.ts";

const RUNS_MAX = 200;

/** Prints the newest runs of the organization. */
export async function showRuns(
  context: CliContext,
  flags: ConnectionFlags & { json: boolean | undefined; limit: string | undefined },
): Promise<number> {
  const limit = /^\d{1,3}$/.test(flags.limit ?? "20") ? Number(flags.limit ?? "20") : 0;
  if (limit < 1 || limit > RUNS_MAX)
    throw usageError(`--limit must be a whole number from 1 to ${RUNS_MAX}.`);
  const connection = await connect(context, createReporter(context.stderr, { quiet: false }), flags);
  const runs = await listRuns(connection, limit);
  if (flags.json === true) writeJson(context.stdout, runs, 2);
  else {
    for (const run of runs) {
      const journey = `${run.journeyPath} ${run.version} in ${run.environmentName}`;
      const error = run.error === null ? "" : `  ${run.error.code}`;
      const line = `${run.id}  ${run.status.padEnd(7)}  ${run.createdAt}  ${journey}${error}`;
      writeLine(context.stdout, printable(line, 300));
    }
    writeLine(context.stdout, `${plural(runs.length, "run")}.`);
  }
  return JOURNEY_EXIT.passed;
}

/** Asks for the end of a run. Its teardown still runs. */
export async function cancelJourney(
  context: CliContext,
  flags: ConnectionFlags & { runId: string },
): Promise<number> {
  const connection = await connect(context, createReporter(context.stderr, { quiet: false }), flags);
  const status = await cancelRun(connection, flags.runId);
  const isOver = status !== "queued" && status !== "running";
  writeLine(
    context.stdout,
    isOver
      ? `The run had ended: ${printable(status, 20)}.`
      : "The run ends after its teardown: waymark journey result shows how.",
  );
  return JOURNEY_EXIT.passed;
}
