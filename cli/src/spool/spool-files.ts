import { mkdir, readdir, rename, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { usageError } from "../lib/cli-error.ts";
import { describeFileError } from "../lib/describe-file-error.ts";

const WHEN_READING = { ENOENT: "there is no such folder", ENOTDIR: "it is not a folder" };

/** Writes a file to the spool atomically. Returns its path. Names begin with a time: the oldest is sent first. */
export async function writeSpooled(folder: string, name: string, content: unknown): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, name);
  await writeSpooledBytes(file, JSON.stringify(content));
  return file;
}

/** Writes a file of a spool that exists, atomically. */
export async function writeSpooledBytes(file: string, content: string | Buffer): Promise<void> {
  await writeFile(`${file}.tmp`, content, { mode: 0o600 });
  await rename(`${file}.tmp`, file);
}

/** A time as it begins a name. */
export function timeInName(time: string): string {
  return time.replaceAll(/[:.]/g, "-");
}

/** The files with this extension, oldest first. @throws {CliError} if there is no such folder, which is most often a wrong path */
export async function listSpooled(folder: string, extension: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`Can't read the spool ${folder}: ${describeFileError(error, WHEN_READING)}.`, {
      cause: error,
    });
  });
  return names
    .filter((name) => name.endsWith(extension))
    .toSorted()
    .map((name) => path.join(folder, name));
}

/** Removes a sent file from the spool. Another flush may have removed it already. */
export async function dropSpooled(file: string): Promise<void> {
  await unlink(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}
