import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { DocumentPath } from "@waymark/shared/journeys/schema.ts";
import { z } from "zod";
import { findSource, resultSource } from "../../../ci/source.ts";
import type { CliContext } from "../../../context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { writeJson, writeLine } from "../../../lib/output.ts";
import { readText } from "../../../lib/read-text.ts";
import { createReporter } from "../../../lib/reporter.ts";
import { plural, printable } from "../../../lib/text.ts";
import { SentResult } from "../../../spool/result-spool.ts";
import { connect } from "../../connect.ts";
import type { ConnectionFlags } from "../../connection-flags.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { sendResult, type UploadedResult } from "./results-api.ts";

const BYTES_MAX = 256 * 1024 * 1024;

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
  for (const file of flags.files) results.push(...(await readResults(context, file)));
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

async function readResults(context: CliContext, name: string): Promise<JourneyResult[]> {
  const text = await readText(context, name, { bytesMax: BYTES_MAX });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(`${name} is not valid JSON: give what --report json=… wrote.`, { cause: error });
  }
  const parsed = z.array(SentResult).safeParse(Array.isArray(value) ? value : [value]);
  if (parsed.success) return parsed.data;
  throw usageError(`${name} is no result of a journey: give what --report json=… wrote.`);
}
