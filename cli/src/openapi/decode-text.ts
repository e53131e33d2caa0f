import { usageError } from "../lib/cli-error.ts";
import { encodingOf } from "../lib/text-encoding.ts";

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
