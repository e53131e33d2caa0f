import { usageError } from "../../../lib/cli-error.ts";
import { readBytes, type ReadTextContext } from "../../../lib/read-text.ts";

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

function encodingOf(bytes: Buffer): "utf-8" | "utf-16le" | "utf-16be" {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return "utf-8";
}

function decoded(bytes: Buffer, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The line of the first byte that is not UTF-8. A replacement character that the file has itself is three bytes long. */
function lineOfFault(bytes: Buffer): number {
  const text = bytes.toString("utf8");
  let offset = 0;
  let from = 0;
  for (let at = text.indexOf("\uFFFD"); at !== -1; at = text.indexOf("\uFFFD", from)) {
    offset += Buffer.byteLength(text.slice(from, at));
    if (bytes.toString("latin1", offset, offset + 3) !== "\xEF\xBF\xBD") return linesIn(text.slice(0, at));
    offset += 3;
    from = at + 1;
  }
  return linesIn(text);
}

function linesIn(text: string): number {
  return text.split(/\r\n|\n|\r/).length;
}
