import { createHash } from "node:crypto";
import { closeSync, createReadStream, fstatSync, openSync, readFileSync } from "node:fs";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { type CliError, usageError } from "../lib/cli-error.ts";
import { collectBytes } from "../lib/collect-bytes.ts";
import { describeFileError } from "../lib/describe-file-error.ts";
import { isInsideFolder } from "../lib/inside-folder.ts";

/** The largest description of commands that send it nowhere. */
export const LOCAL_SPEC_BYTES_MAX = 50 * 1024 * 1024;

/** Reads the files of a description, from the file system or from a revision of git. */
export interface SpecFiles {
  /** Reads a file by its absolute path. @param name its name in messages. @throws {CliError} */
  read: (file: string, name: string) => Promise<Buffer>;
  /** True if a file is inside a folder, with all links followed. */
  isInside: (file: string, folder: string) => Promise<boolean>;
}

/** Reads from the file system, with a limit for each file. */
export function filesOnDisk(bytesMax: number = SCAN_LIMITS.specFileBytesMax): SpecFiles {
  return { read: (file, name) => readSpecFile(file, name, bytesMax), isInside: isInsideFolder };
}

/**
 * Reads a spec file of at most `SCAN_LIMITS.specFileBytesMax` bytes, or of another limit.
 * @param name its name in messages
 * @throws {CliError} if it is missing, not a file, unreadable or too large
 */
export async function readSpecFile(
  path: string,
  name = path,
  bytesMax: number = SCAN_LIMITS.specFileBytesMax,
): Promise<Buffer> {
  // Reads synchronously, which avoids the thread pool: there is no other work meanwhile.
  let descriptor;
  try {
    descriptor = openSync(path, "r");
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) {
      throw usageError(`${name} is a directory: pass the OpenAPI file itself to --spec.`);
    }
    if (stats.size > bytesMax) throw tooLarge(name, String(stats.size), bytesMax);
    // A pipe or device has no size, so its bytes are counted while reading.
    if (!stats.isFile())
      return await collect(createReadStream(path, { fd: descriptor, autoClose: false }), name, bytesMax);
    const bytes = readFileSync(descriptor);
    if (bytes.length > bytesMax) throw tooLarge(name, String(bytes.length), bytesMax);
    return bytes;
  } catch (error) {
    if (error instanceof Error && "syscall" in error) throw unreadable(name, error);
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Reads a spec from a stream, usually standard input, with the same limit as for a file. */
export async function readSpecStream(
  stream: AsyncIterable<Buffer | string>,
  bytesMax: number = SCAN_LIMITS.specFileBytesMax,
): Promise<Buffer> {
  return collect(stream, "standard input", bytesMax);
}

/** The SHA-256 of a file's bytes in hexadecimal: `spec.hash` of a scan. */
export function hashBytes(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function collect(stream: AsyncIterable<Buffer | string>, name: string, bytesMax: number): Promise<Buffer> {
  return collectBytes(stream, {
    bytesMax,
    tooLarge: (bytes) => tooLarge(name, `at least ${bytes}`, bytesMax),
  });
}

export function tooLarge(name: string, size: string, bytesMax: number): CliError {
  const limit = `the limit is ${bytesMax} (${Math.round(bytesMax / 1024 / 1024)} MB)`;
  if (bytesMax > SCAN_LIMITS.specFileBytesMax) {
    return usageError(`OpenAPI spec is too large: ${name} has ${size} bytes, ${limit}.`);
  }
  return usageError(
    `OpenAPI spec is too large: ${name} has ${size} bytes, ${limit}. ` +
      "Make it smaller with waymark minify, which leaves out white space and examples, and with --include-path, --exclude-path or " +
      "--tag all but a part of its operations, or split it into several specs. Scan each part as a service of its own.",
  );
}

function unreadable(path: string, error: unknown) {
  const reason = /^https?:/i.test(path)
    ? "URLs aren't read; download the file first"
    : describeFileError(error);
  return usageError(`Can't read ${path}: ${reason}.`, { cause: error });
}
