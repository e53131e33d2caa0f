import { createHash } from "node:crypto";
import { closeSync, createReadStream, fstatSync, openSync, readFileSync } from "node:fs";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { usageError } from "../lib/cli-error.ts";
import { collectBytes } from "../lib/collect-bytes.ts";
import { describeFileError } from "../lib/describe-file-error.ts";

/**
 * Reads a spec file of at most `SCAN_LIMITS.specFileBytesMax` bytes.
 * @param name its name in messages
 * @throws {CliError} if it is missing, not a file, unreadable or too large
 */
export async function readSpecFile(path: string, name = path): Promise<Buffer> {
  // Reads synchronously, which avoids the thread pool: there is no other work meanwhile.
  let descriptor;
  try {
    descriptor = openSync(path, "r");
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) {
      throw usageError(`${name} is a directory: pass the OpenAPI file itself to --spec.`);
    }
    if (stats.size > SCAN_LIMITS.specFileBytesMax) throw tooLarge(name, String(stats.size));
    // A pipe or device has no size, so its bytes are counted while reading.
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

/** Reads a spec from a stream, usually standard input, with the same limit as for a file. */
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
    `OpenAPI spec is too large: ${name} has ${size} bytes, the limit is ${SCAN_LIMITS.specFileBytesMax} (10 MB). ` +
      `Minify it (JSON with jq -c ., YAML with yq -o json -I 0), or split it into several specs with a service for each. ` +
      `--include-path, --exclude-path and --tag select operations of a file within the limit.`,
  );
}

function unreadable(path: string, error: unknown) {
  const reason = /^https?:/i.test(path)
    ? "URLs aren't read; download the file first"
    : describeFileError(error);
  return usageError(`Can't read ${path}: ${reason}.`, { cause: error });
}
