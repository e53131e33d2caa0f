import { readFile } from "node:fs/promises";
import { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { SubmittedSource } from "@waymark/shared/scans/source/schema.ts";
import { z } from "zod";
import { usageError } from "../lib/cli-error.ts";
import { listSpooled, timeInName, writeSpooled } from "./spool-files.ts";

/** A scan that could not be sent, with its idempotency key. Contains neither API key nor address. */
const SpooledScan = z.strictObject({
  version: z.literal(1),
  // The pattern is that of the API. The key becomes a header, and a pull request can write such a file.
  idempotencyKey: z.string().regex(/^[\x21-\x7e]{1,255}$/),
  scannedAt: z.iso.datetime(),
  /** False for the scan of a pull request, which does not become its service's current run. */
  promote: z.boolean().default(true),
  // They become headers, too.
  source: SubmittedSource.optional(),
  payload: ScanIngestionPayload,
});
export type SpooledScan = z.infer<typeof SpooledScan>;

const EXTENSION = ".scan.json";

/** Writes a scan to the spool. Returns the file's path. */
export function spoolScan(folder: string, scan: SpooledScan): Promise<string> {
  const name = `${timeInName(scan.scannedAt)}-${scan.idempotencyKey}${EXTENSION}`;
  return writeSpooled(folder, name, scan);
}

/** The spooled scans of a folder, oldest first. @throws {CliError} if there is no such folder */
export function listScans(folder: string): Promise<string[]> {
  return listSpooled(folder, EXTENSION);
}

/** Reads a spooled scan. @throws {CliError} if the file is invalid */
export async function readSpooled(file: string): Promise<SpooledScan> {
  try {
    return SpooledScan.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    throw usageError(`${file} is not a spooled scan, or of another version of waymark.`, { cause: error });
  }
}
