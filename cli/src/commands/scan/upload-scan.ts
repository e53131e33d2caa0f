import { randomUUID } from "node:crypto";
import type { ApiConnection } from "../../api/api-client.ts";
import { type AcceptedScan, submitScan } from "../../api/scans-api.ts";
import type { CliContext } from "../../framework/context.ts";
import { CliError, EXIT_CODES } from "../../lib/cli-error.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { describeFileError } from "../../lib/describe-file-error.ts";
import { writeLine } from "../../lib/output.ts";
import { printable } from "../../lib/text.ts";
import { type SpooledScan, spoolScan } from "../../spool/spool.ts";
import { beforeInterrupt } from "./before-interrupt.ts";
import type { ReadScan } from "./send-description.ts";
import type { ScanSettings } from "./settings.ts";

/** The result of an upload: accepted, or (only if the user allows it) not sent, with the reason. */
export type Upload = { accepted: AcceptedScan } | { accepted: undefined; problem: CliError };

/**
 * Sends a scan. If it can't be sent or the command is interrupted, and there is a spool, it is kept there.
 * @throws {CliError} if the server refuses the scan; if the server can't be reached, unless that is only a warning
 */
export async function uploadScan(
  context: CliContext,
  connection: ApiConnection,
  read: ReadScan,
): Promise<Upload> {
  const { settings } = read;
  const { payload } = read.scan;
  const idempotencyKey = randomUUID();
  const scannedAt = new Date().toISOString();
  // A run with gates becomes current only if they pass; otherwise a failed pipeline would pass the second time.
  const promote = settings.promote && settings.gates === undefined;
  const { source } = settings;
  const scan: SpooledScan = { version: 1, idempotencyKey, scannedAt, promote, source, payload };
  // A scan that was kept is sent later, without its gates.
  const folder = settings.gates === undefined ? settings.spoolFolder : undefined;
  const interrupt = beforeInterrupt(async () => {
    if (folder === undefined) return;
    const { said } = await keep(folder, scan);
    const without = settings.storesDescription ? " Its description is not kept." : "";
    writeLine(context.stderr, `Interrupted while sending. ${said}${without}`);
  });
  try {
    return { accepted: await submitScan(connection, payload, { idempotencyKey, promote, source }) };
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== EXIT_CODES.unavailable) throw error;
    const kept =
      folder === undefined ? describeNotKept(settings) : await keepAll(context, { folder, scan, read });
    const problem = new CliError(error.exitCode, error.message, {
      cause: error,
      details: [...error.details, ...kept],
    });
    // If gates can't be evaluated, the command must not succeed.
    if (settings.warnOnUploadError && settings.gates === undefined) return { accepted: undefined, problem };
    throw problem;
  } finally {
    interrupt[Symbol.dispose]();
  }
}

function describeNotKept({ spoolFolder, gates }: ScanSettings): string[] {
  if (spoolFolder === undefined || gates === undefined) return [];
  return ["A scan with gates is not kept, because they would not be evaluated later: scan again."];
}

/** Keeps a scan, then its description if it is to be stored, and says where, or why not. */
async function keepAll(
  context: CliContext,
  { folder, scan, read }: { folder: string; scan: SpooledScan; read: ReadScan },
): Promise<string[]> {
  const { file, said } = await keep(folder, scan);
  if (file === undefined || !read.settings.storesDescription) return [said];
  try {
    const [{ readScannedText }, { spoolDescription }] = await Promise.all([
      import("./send-description.ts"),
      import("../../spool/description-spool.ts"),
    ]);
    await spoolDescription(file, await readScannedText(context, read));
    return [said];
  } catch (error) {
    return [said, `Its description is not kept: ${printable(toError(error).message).replace(/\.$/, "")}.`];
  }
}

/** Keeps a scan, and says where, or why not. */
async function keep(folder: string, scan: SpooledScan): Promise<{ file?: string; said: string }> {
  try {
    const file = await spoolScan(folder, scan);
    return { file, said: `The scan is kept in ${file}: send it with waymark flush --spool ${folder}.` };
  } catch (error) {
    return { said: `The scan could not be kept in ${folder}: ${describeFileError(error)}.` };
  }
}
