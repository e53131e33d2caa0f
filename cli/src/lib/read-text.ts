import { open } from "node:fs/promises";
import path from "node:path";
import { usageError } from "./cli-error.ts";
import { collectBytes, STDIN_NAME } from "./collect-bytes.ts";
import { describeFileError } from "./describe-file-error.ts";

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
