import { open } from "node:fs/promises";
import path from "node:path";
import { usageError } from "./cli-error.ts";
import { collectBytes, STDIN_NAME } from "./collect-bytes.ts";
import { describeFileError } from "./describe-file-error.ts";

export interface ReadTextContext {
  cwd: string;
  openStdin: () => AsyncIterable<unknown>;
}

const BYTES_MAX = 16 * 1024 * 1024;

/**
 * Reads a text file in UTF-8 (a byte order mark is dropped unless it is asked for), or standard input for `-`, and stops at the limit.
 * @throws {CliError} missing, not a file, not text or too large, in words for the user
 */
export async function readText(
  context: ReadTextContext,
  name: string,
  { bytesMax = BYTES_MAX, keepBom = false }: { bytesMax?: number; keepBom?: boolean } = {},
): Promise<string> {
  const bytes = await readBytes(context, name, { bytesMax });
  return decoded(bytes, name === STDIN_NAME ? "standard input" : name, keepBom);
}

/**
 * Like `readText`, for any file. @throws {CliError} if it is missing, not a file or too large; the cause is the system's error
 */
export async function readBytes(
  { cwd, openStdin }: ReadTextContext,
  name: string,
  { bytesMax = BYTES_MAX }: { bytesMax?: number } = {},
): Promise<Buffer> {
  if (name === STDIN_NAME) return collect(openStdin(), "standard input", bytesMax);
  try {
    const file = await open(path.resolve(cwd, name), "r");
    try {
      if ((await file.stat()).isDirectory())
        throw usageError(`${name} is a directory: name the file itself.`);
      return await collect(file.createReadStream({ autoClose: false }), name, bytesMax);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && "syscall" in error) {
      throw usageError(`Can't read ${name}: ${describeFileError(error)}.`, { cause: error });
    }
    throw error;
  }
}

function collect(stream: AsyncIterable<unknown>, name: string, bytesMax: number): Promise<Buffer> {
  return collectBytes(stream, {
    bytesMax,
    tooLarge: () => usageError(`${name} is too large: at most ${bytesMax} bytes are read.`),
  });
}

function decoded(bytes: Buffer, name: string, keepBom: boolean): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: keepBom }).decode(bytes);
  } catch (error) {
    throw usageError(`${name} is not a text file in UTF-8.`, { cause: error });
  }
}
