import { usageError } from "../../../lib/cli-error.ts";

const SEPARATORS: readonly { text: string; name: string }[] = [
  { text: ",", name: "commas" },
  { text: ";", name: "semicolons" },
  { text: "\t", name: "tabs" },
  { text: "|", name: "vertical bars" },
];

/** The separator of a table, and the place where its header begins. */
export interface Separated {
  separator: string;
  /** Index of the header: behind a line `sep=;`. */
  at: number;
  /** Line of the header; counts from 1. */
  line: number;
}

/**
 * Finds the separator of CSV: that of a line `sep=;`, which Excel writes and reads, else the one that the header contains outside
 * of quotes, else a comma.
 * @throws {CliError} if the header contains several of them
 */
export function findSeparator(text: string, name: string): Separated {
  const blank = /^(?:[ \t]*(?:\r\n|\n|\r))*/.exec(text)?.[0] ?? "";
  const line = blank.split(/\r\n|\n|\r/).length;
  const given = /^"?sep=([^\w\s"]|\t)"?[,;\t|]*(?:\r\n|\n|\r|$)/i.exec(text.slice(blank.length));
  if (given !== null) {
    return { separator: given[1] ?? ",", at: blank.length + given[0].length, line: line + 1 };
  }
  const header = unquoted(text.slice(blank.length));
  const found = SEPARATORS.filter((separator) => header.includes(separator.text));
  if (found.length > 1) {
    const names = found.map((separator) => separator.name).join(" and ");
    throw usageError(
      `${name}:${line}: the header contains ${names}, so its columns can't be told apart. ` +
        'Quote the names that contain one of them ("a;b"), or name the separator in a line above the header, such as sep=;',
    );
  }
  return { separator: found[0]?.text ?? ",", at: blank.length, line };
}

/** The first line without what is in quotes. */
function unquoted(text: string): string {
  let rest = "";
  let isQuoted = false;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === "\n" || character === "\r")) break;
    else if (!isQuoted) rest += character;
  }
  return rest;
}
