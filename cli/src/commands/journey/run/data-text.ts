import { firstInvalid } from "@waymark/journeys/run/first-invalid.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { readBytes, type ReadTextContext } from "../../../lib/read-text.ts";
import { encodingOf } from "../../../lib/text-encoding.ts";

/**
 * Reads a data file in UTF-8, or in UTF-16 with a byte order mark, as Excel writes "Unicode text". The mark is dropped.
 * @throws {CliError} with the line of the first byte that is not text in that encoding
 */
export async function readDataText(
  context: ReadTextContext,
  name: string,
  bytesMax: number,
): Promise<string> {
  const bytes = await readBytes(context, name, { bytesMax });
  const shown = name === "-" ? "standard input" : name;
  const encoding = encodingOf(bytes);
  const text = decoded(bytes, encoding);
  if (text === undefined) {
    const where = encoding === "utf-8" ? `${shown}:${lineOfFault(bytes)}: this` : `${shown}: this`;
    const named = encoding === "utf-8" ? "UTF-8" : "UTF-16";
    throw usageError(
      `${where} is not text in ${named}. Save the file in UTF-8: in Excel, as "CSV UTF-8 (comma delimited)".`,
    );
  }
  const nul = text.indexOf("\0");
  if (nul === -1) return text;
  throw usageError(
    `${shown}:${linesIn(text.slice(0, nul))}: there is a NUL character, as in UTF-16 without a byte order mark. Save the file in UTF-8.`,
  );
}

function decoded(bytes: Buffer, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the line of the first byte that is not UTF-8. */
function lineOfFault(bytes: Buffer): number {
  const text = new TextDecoder().decode(bytes);
  return linesIn(text.slice(0, firstInvalid(bytes, text)?.index));
}

function linesIn(text: string): number {
  return text.split(/\r\n|\n|\r/).length;
}
