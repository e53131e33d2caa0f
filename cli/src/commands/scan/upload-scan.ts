import { randomUUID } from "node:crypto";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { type AcceptedScan, type ApiConnection, submitScan } from "../../api-client.ts";
import { CliError, EXIT_CODES } from "../../lib/cli-error.ts";
import { spoolScan } from "../../spool/spool.ts";
import type { ScanSettings } from "./settings.ts";

/** The result of an upload: accepted, or (only if the user allows it) not sent, with the reason. */
export type Upload = { accepted: AcceptedScan } | { accepted: undefined; problem: CliError };

/**
 * Sends a scan. If it can't be sent and there is a spool, it is kept there.
 * @throws {CliError} if the server refuses the scan; if the server can't be reached, unless that is only a warning
 */
export async function uploadScan(
  connection: ApiConnection,
  payload: ScanIngestionPayload,
  settings: ScanSettings,
): Promise<Upload> {
  const idempotencyKey = randomUUID();
  const scannedAt = new Date().toISOString();
  try {
    // A run with gates becomes current only if they pass; otherwise a failed pipeline would pass the second time.
    const promote = settings.gates === undefined;
    return { accepted: await submitScan(connection, payload, { idempotencyKey, promote }) };
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== EXIT_CODES.unavailable) throw error;
    const problem = await keep(error, settings, { version: 1, idempotencyKey, scannedAt, payload });
    // If gates can't be evaluated, the command must not succeed.
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
