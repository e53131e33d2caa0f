import { exitCodeOf } from "@waymark/journeys/result/result.ts";
import type { CliContext } from "../../../framework/context.ts";
import { createReporter } from "../../../lib/reporter.ts";
import { connect } from "../../../framework/connect.ts";
import type { ConnectionFlags } from "../../../framework/connection-flags.ts";
import { readReports } from "../run/settings.ts";
import { styleFor } from "../run/style.ts";
import { createPrinter, labelOf } from "../run/terminal.ts";
import { writeReports } from "../run/write-reports.ts";
import { readRunResult } from "../../../api/runs-api.ts";

/** Shows how a run went, as the command does that ran it, and writes its reports. */
export async function showResult(
  context: CliContext,
  flags: ConnectionFlags & { runId: string; report: readonly string[] },
): Promise<number> {
  const reports = readReports(flags.report);
  const connection = await connect(context, createReporter(context.stderr, { quiet: false }), flags);
  const result = await readRunResult(connection, flags.runId);
  const stream = reports.some(({ file }) => file === "-") ? context.stderr : context.stdout;
  const printer = createPrinter(stream, {
    label: labelOf(result.journey, ""),
    show: "steps",
    style: styleFor(stream, context.env),
    alone: true,
    rewrites: false,
  });
  for (const step of result.steps) printer.onStep(step);
  printer.onEnd(result);
  await writeReports(context, reports, [result]);
  return exitCodeOf(result);
}
