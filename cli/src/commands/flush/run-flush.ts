import path from "node:path";
import { type ApiConnection, submitScan } from "../../api-client.ts";
import type { CliContext } from "../../context.ts";
import { given } from "../../config.ts";
import { CliError, EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { createReporter } from "../../lib/reporter.ts";
import { plural } from "../../lib/text.ts";
import { dropSpooled, listSpool, readSpooled } from "../../spool/spool.ts";
import { connect } from "../connect.ts";
import type { ConnectionFlags } from "../connection-flags.ts";
import { writeLine } from "../../lib/output.ts";

/** Sends every spooled scan. A refused one stays and does not hold up the others; a server that is away ends it. */
export async function runFlush(
  context: CliContext,
  flags: ConnectionFlags & { spool: string | undefined },
): Promise<ExitCode> {
  const folder = given(flags.spool);
  if (folder === undefined) throw usageError("--spool is required: pass the folder that keeps the scans.");
  const connection = await connect(context, createReporter(context.stderr, { quiet: false }), flags);
  const files = await listSpool(path.resolve(context.cwd, folder));
  const refused: string[] = [];
  for (const file of files) {
    try {
      writeLine(context.stdout, `Scan ingested: ${await sendOne(connection, file)}`);
    } catch (error) {
      if (!(error instanceof CliError) || error.exitCode !== EXIT_CODES.usage) throw error;
      refused.push(`${file}: ${[error.message, ...error.details].join("; ")}`);
    }
  }
  if (refused.length > 0)
    throw usageError(`${plural(refused.length, "scan")} could not be sent:`, { details: refused });
  writeLine(context.stdout, `Sent: ${plural(files.length, "scan")}`);
  return EXIT_CODES.ok;
}

async function sendOne(connection: ApiConnection, file: string): Promise<string> {
  const { payload, ...options } = await readSpooled(file);
  const { scanRunId } = await submitScan(connection, payload, options);
  await dropSpooled(file);
  return scanRunId;
}
