import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { DocumentPath } from "@waymark/shared/journeys/schema.ts";
import { findSource, resultSource } from "../../../ci/source.ts";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { writeJson, writeLine } from "../../../lib/output.ts";
import { createReporter } from "../../../lib/reporter.ts";
import { plural, printable } from "../../../lib/text.ts";
import { SentResult } from "../../../spool/result-spool.ts";
import { connect } from "../../../framework/connect.ts";
import type { ConnectionFlags } from "../../../framework/connection-flags.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { readResults } from "../read-results.ts";
import { sendResult, type UploadedResult } from "./results-api.ts";

/** Uploads the results in files that `--report json=…` wrote, one after the other. */
export async function uploadFiles(
  context: CliContext,
  flags: ConnectionFlags & {
    files: readonly string[];
    journey: string | undefined;
    json: boolean | undefined;
  },
): Promise<number> {
  const { journey } = flags;
  if (journey !== undefined && !DocumentPath.safeParse(journey).success)
    throw usageError(`--journey must be the path of a document, as waymark journey push shows it.`);
  const results: JourneyResult[] = [];
  for (const file of flags.files) results.push(...(await readResults(context, file, SentResult)));
  const connection = await connect(context, createReporter(context.stderr, { quiet: false }), flags);
  const ci = resultSource(await findSource(context));
  const uploaded: UploadedResult[] = [];
  for (const result of results) {
    const sent = await sendResult(connection, { result, ci, path: journey });
    uploaded.push(sent);
    if (flags.json === true) continue;
    const known = sent.isNew ? "" : " (it was there already)";
    writeLine(context.stdout, printable(`Uploaded: ${sent.resultUrl}${known}`, 500));
  }
  if (flags.json === true) writeJson(context.stdout, uploaded, 2);
  else writeLine(context.stdout, `${plural(uploaded.length, "result")}.`);
  return JOURNEY_EXIT.passed;
}
