import { mkdir, readdir, readFile, rename, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { z } from "zod";
import { usageError } from "../lib/cli-error.ts";
import { describeFileError } from "../lib/describe-file-error.ts";

/** A scan that could not be sent, with its idempotency key. Contains neither API key nor address. */
const SpooledScan = z.strictObject({
  version: z.literal(1),
  // What the api takes. It becomes a header, and a pull request can write such a file.
  idempotencyKey: z.string().regex(/^[\x21-\x7e]{1,255}$/),
  scannedAt: z.iso.datetime(),
  /** False for the scan of a pull request, which does not become its service's current run. */
  promote: z.boolean().default(true),
  payload: ScanIngestionPayload,
});
export type SpooledScan = z.infer<typeof SpooledScan>;

const WHEN_READING = { ENOENT: "there is no such folder", ENOTDIR: "it is not a folder" };

const EXTENSION = ".scan.json";

/** Writes a scan to the spool atomically. Returns the file's path. */
export async function spoolScan(folder: string, scan: SpooledScan): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // The name sorts by time: the oldest scan is sent first.
  const name = `${scan.scannedAt.replaceAll(/[:.]/g, "-")}-${scan.idempotencyKey}${EXTENSION}`;
  const file = path.join(folder, name);
  await writeFile(`${file}.tmp`, JSON.stringify(scan), { mode: 0o600 });
  await rename(`${file}.tmp`, file);
  return file;
}

/** The spooled scans of a folder, oldest first. @throws {CliError} if there is no such folder, which is most often a wrong path */
export async function listSpool(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`Can't read the spool ${folder}: ${describeFileError(error, WHEN_READING)}.`, {
      cause: error,
    });
  });
  return names
    .filter((name) => name.endsWith(EXTENSION))
    .toSorted()
    .map((name) => path.join(folder, name));
}

/** Reads a spooled scan. @throws {CliError} if the file is invalid */
export async function readSpooled(file: string): Promise<SpooledScan> {
  try {
    return SpooledScan.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    throw usageError(`${file} is not a spooled scan, or of another version of waymark.`, { cause: error });
  }
}

/** Removes a sent scan from the spool. Another flush may have removed it already. */
export async function dropSpooled(file: string): Promise<void> {
  await unlink(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}
