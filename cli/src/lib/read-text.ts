import { open } from "node:fs/promises";
import path from "node:path";
import { usageError } from "./cli-error.ts";

/** The name that stands for standard input on the command line. */
const STDIN_NAME = "-";

export interface ReadTextContext {
  cwd: string;
  stdin: AsyncIterable<unknown>;
}

/**
 * Reads a text file in UTF-8 (a byte order mark is dropped unless it is asked for), or standard input for `-`, and stops at the limit.
 * @throws {CliError} missing, not a file, not text or too large, in words for the user
 */
export async function readText(
  { cwd, stdin }: ReadTextContext,
  name: string,
  { bytesMax = 16 * 1024 * 1024, keepBom = false }: { bytesMax?: number; keepBom?: boolean } = {},
): Promise<string> {
  const decode = (bytes: Buffer, shown: string) => decoded(bytes, shown, keepBom);
  if (name === STDIN_NAME) return decode(await collect(stdin, "standard input", bytesMax), "standard input");
  try {
    const file = await open(path.resolve(cwd, name), "r");
    try {
      if ((await file.stat()).isDirectory())
        throw usageError(`${name} is a directory: name the file itself.`);
      return decode(await collect(file.createReadStream({ autoClose: false }), name, bytesMax), name);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && "syscall" in error) throw unreadable(name, error);
    throw error;
  }
}

// Counted while reading: a device or a pipe has no size, and a file may grow.
async function collect(stream: AsyncIterable<unknown>, name: string, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > bytesMax) throw usageError(`${name} is too large: at most ${bytesMax} bytes are read.`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function decoded(bytes: Buffer, name: string, keepBom: boolean): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: keepBom }).decode(bytes);
  } catch (error) {
    throw usageError(`${name} is not a text file in UTF-8.`, { cause: error });
  }
}

const REASONS: Record<string, string> = {
  ENOENT: "there is no such file",
  ENOTDIR: "a part of the path is not a directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ELOOP: "its symbolic links form a loop",
  ENAMETOOLONG: "the name is too long",
};

function unreadable(name: string, error: Error) {
  const code = "code" in error ? String(error.code) : "";
  return usageError(`Can't read ${name}: ${REASONS[code] ?? error.message}.`, { cause: error });
}
