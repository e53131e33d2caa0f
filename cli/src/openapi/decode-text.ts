import { usageError } from "../lib/cli-error.ts";

/**
 * The text of a spec file: UTF-8, or UTF-16 where a byte order mark says so; the mark is dropped.
 * @throws {CliError} when the bytes are not text in that encoding
 */
export function decodeText(bytes: Buffer, name: string): string {
  const encoding = encodingOf(bytes);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw usageError(`${name} is not a text file in UTF-8, so it can't be an OpenAPI description.`, {
      cause: error,
    });
  }
}

function encodingOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return "utf-8";
}
