import { randomUUID } from "node:crypto";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { type AcceptedScan, type ApiConnection, submitScan } from "../../api-client.ts";
import { CliError, EXIT_CODES } from "../../lib/cli-error.ts";
import { spoolScan } from "../../spool/spool.ts";
import type { ScanSettings } from "./settings.ts";

/** What became of a scan: accepted, or (only where the user allows it) not sent, with the reason. */
export type Upload = { accepted: AcceptedScan } | { accepted: undefined; problem: CliError };

/**
 * Sends a scan. One that can't be sent is kept in the spool where there is one.
 * @throws {CliError} for a refusal always, for a server that can't be reached unless that is to be a warning
 */
export async function uploadScan(
  connection: ApiConnection,
  payload: ScanIngestionPayload,
  settings: ScanSettings,
): Promise<Upload> {
  const idempotencyKey = randomUUID();
  const scannedAt = new Date().toISOString();
  try {
    // A gated run becomes current only when the gate holds, or the pipeline that failed would pass the second time.
    const promote = settings.gates === undefined;
    return { accepted: await submitScan(connection, payload, { idempotencyKey, promote }) };
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== EXIT_CODES.unavailable) throw error;
    const problem = await keep(error, settings, { version: 1, idempotencyKey, scannedAt, payload });
    // What a gate could not judge must not end green.
    if (settings.warnOnUploadError && settings.gates === undefined) return { accepted: undefined, problem };
    throw problem;
  }
}

async function keep(
  error: CliError,
  { spoolFolder, gates }: ScanSettings,
  scan: Parameters<typeof spoolScan>[1],
): Promise<CliError> {
  if (spoolFolder === undefined || gates !== undefined) return error;
  const kept = await spoolScan(spoolFolder, scan).then(
    (file) => `The scan is kept in ${file}: send it with waymark flush --spool ${spoolFolder}.`,
    (cause: unknown) =>
      `The scan could not be kept in ${spoolFolder}: ${cause instanceof Error ? cause.message : "unknown"}.`,
  );
  return new CliError(error.exitCode, error.message, { cause: error, details: [...error.details, kept] });
}
