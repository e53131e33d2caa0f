import path from "node:path";
import type { ApiConnection } from "../../api/api-client.ts";
import { putRunDescription } from "../../api/put-description.ts";
import { submitScan } from "../../api/scans-api.ts";
import type { CliContext } from "../../framework/context.ts";
import { given } from "../../lib/config.ts";
import { CliError, EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { createReporter, type Reporter } from "../../lib/reporter.ts";
import { plural, printable } from "../../lib/text.ts";
import {
  assignDescription,
  listDescriptions,
  readSpooledDescription,
} from "../../spool/description-spool.ts";
import { listResults, readSpooledResult } from "../../spool/result-spool.ts";
import { dropSpooled } from "../../spool/spool-files.ts";
import { listScans, readSpooled } from "../../spool/spool.ts";
import { connect } from "../../framework/connect.ts";
import { sendResult } from "../journey/upload/results-api.ts";
import { noteNotStored } from "../scan/note-not-stored.ts";
import type { ConnectionFlags } from "../../framework/connection-flags.ts";
import { writeLine } from "../../lib/output.ts";

/** Sends every spooled scan and result. A refused one stays, and the others are sent; an unavailable server ends it. */
export async function runFlush(
  context: CliContext,
  flags: ConnectionFlags & { spool: string | undefined },
): Promise<ExitCode> {
  const folder = given(flags.spool);
  if (folder === undefined)
    throw usageError("--spool is required: pass the folder that keeps what was not sent.");
  const reporter = createReporter(context.stderr, { quiet: false });
  const connection = await connect(context, reporter, flags);
  const spool = path.resolve(context.cwd, folder);
  const scans = await sendAll(await listScans(spool), async (file) => {
    writeLine(context.stdout, `Scan ingested: ${await sendScan(connection, file)}`);
  });
  const results = await sendAll(await listResults(spool), async (file) => {
    writeLine(
      context.stdout,
      printable(`Result uploaded: ${await sendSpooledResult(connection, file)}`, 300),
    );
  });
  await sendDescriptions(connection, reporter, spool);
  const refused = [...scans.refused, ...results.refused];
  if (refused.length > 0) {
    const what = results.refused.length === 0 ? "scan" : scans.refused.length === 0 ? "result" : "file";
    throw usageError(`${plural(refused.length, what)} could not be sent:`, { details: refused });
  }
  if (scans.sent > 0 || results.sent === 0) writeLine(context.stdout, `Sent: ${plural(scans.sent, "scan")}`);
  if (results.sent > 0) writeLine(context.stdout, `Sent: ${plural(results.sent, "result")}`);
  return EXIT_CODES.ok;
}

/** Sends files, oldest first. A refused one stays, and the others are sent. @throws {CliError} for an unavailable server */
async function sendAll(
  files: readonly string[],
  send: (file: string) => Promise<void>,
): Promise<{ sent: number; refused: string[] }> {
  const refused: string[] = [];
  for (const file of files) {
    try {
      await send(file);
    } catch (error) {
      if (!(error instanceof CliError) || error.exitCode !== EXIT_CODES.usage) throw error;
      refused.push(`${file}: ${[error.message, ...error.details].join("; ")}`);
    }
  }
  return { sent: files.length - refused.length, refused };
}

async function sendScan(connection: ApiConnection, file: string): Promise<string> {
  const { payload, ...options } = await readSpooled(file);
  const { scanRunId } = await submitScan(connection, payload, options);
  await assignDescription(file, scanRunId);
  await dropSpooled(file);
  return scanRunId;
}

/**
 * Sends the descriptions of scans that were sent, also by an earlier flush. They come last, so that no scan waits for one, and fail none:
 * what can't be stored is a note. If the server can't be reached, they stay.
 */
async function sendDescriptions(connection: ApiConnection, reporter: Reporter, spool: string): Promise<void> {
  const descriptions = await listDescriptions(spool);
  if (descriptions.length === 0) return;
  for (const { file, scanRunId } of descriptions) {
    try {
      await putRunDescription(connection, await readSpooledDescription(file), scanRunId);
    } catch (error) {
      noteNotStored(reporter, error, `the description of the scan run ${scanRunId}`);
      if (error instanceof CliError && error.exitCode === EXIT_CODES.unavailable) {
        reporter.note("descriptions that were not sent stay in the spool: flush again.");
        return;
      }
    }
    await dropSpooled(file);
  }
}

async function sendSpooledResult(connection: ApiConnection, file: string): Promise<string> {
  const { runId } = await sendResult(connection, await readSpooledResult(file));
  await dropSpooled(file);
  return runId;
}
