import { createHash } from "node:crypto";
import { closeSync, createReadStream, fstatSync, openSync, readFileSync } from "node:fs";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { usageError } from "../lib/cli-error.ts";
import { collectBytes } from "../lib/collect-bytes.ts";
import { describeFileError } from "../lib/describe-file-error.ts";

/**
 * Reads a spec file of at most `SCAN_LIMITS.specFileBytesMax` bytes.
 * @param name what messages call it
 * @throws {CliError} missing, not a file, not readable or too large, in words for the user
 */
export async function readSpecFile(path: string, name = path): Promise<Buffer> {
  // A file is read in one go and without the thread pool: there is nothing else to do meanwhile.
  let descriptor;
  try {
    descriptor = openSync(path, "r");
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) {
      throw usageError(`${name} is a directory: pass the OpenAPI file itself to --spec.`);
    }
    if (stats.size > SCAN_LIMITS.specFileBytesMax) throw tooLarge(name, String(stats.size));
    // What is no file, such as a pipe, has no size and is counted while it is read.
    if (!stats.isFile())
      return await collect(createReadStream(path, { fd: descriptor, autoClose: false }), name);
    const bytes = readFileSync(descriptor);
    if (bytes.length > SCAN_LIMITS.specFileBytesMax) throw tooLarge(name, String(bytes.length));
    return bytes;
  } catch (error) {
    if (error instanceof Error && "syscall" in error) throw unreadable(name, error);
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Reads a spec from a stream, usually standard input, within the same limit as a file. */
export async function readSpecStream(stream: AsyncIterable<Buffer | string>): Promise<Buffer> {
  return collect(stream, "standard input");
}

/** The SHA-256 of a file's bytes in hexadecimal: `spec.hash` of a scan. */
export function hashBytes(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function collect(stream: AsyncIterable<Buffer | string>, name: string): Promise<Buffer> {
  return collectBytes(stream, {
    bytesMax: SCAN_LIMITS.specFileBytesMax,
    tooLarge: (bytes) => tooLarge(name, `at least ${bytes}`),
  });
}

function tooLarge(name: string, size: string) {
  return usageError(
    `OpenAPI spec is too large: ${name} has ${size} bytes, the limit is ${SCAN_LIMITS.specFileBytesMax} (10 MB).`,
  );
}

function unreadable(path: string, error: unknown) {
  return usageError(`Can't read the spec ${path}: ${describeFileError(error)}.`, { cause: error });
}
