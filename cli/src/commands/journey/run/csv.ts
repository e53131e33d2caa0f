// Not csv-parse: where a quote is never closed it names the last line of the file, not the line of the quote.
import { usageError } from "../../../lib/cli-error.ts";
import { findSeparator } from "./separator.ts";

interface Cell {
  text: string;
  quoted: boolean;
}

interface CsvRecord {
  cells: Cell[];
  /** The line that it starts on; counts from 1. */
  line: number;
}

export interface CsvTable {
  records: CsvRecord[];
  separator: string;
}

/**
 * Parses CSV (RFC 4180), also with another separator than a comma: cells in double quotes may hold separators, line breaks and
 * doubled quotes. Empty lines are left out, and so are lines of empty cells, which Excel writes below a table.
 * @throws {CliError} with the line and column of a quote that is never closed, or that stands where none may
 */
export function parseCsv(text: string, name: string): CsvTable {
  const records: CsvRecord[] = [];
  const start = findSeparator(text, name);
  const { separator } = start;
  const ends = new RegExp(String.raw`["\r\n\u{${(separator.codePointAt(0) ?? 0).toString(16)}}]|$`, "gu");
  let { line } = start;
  let record: CsvRecord = { cells: [], line };
  for (let { at } = start; at < text.length || record.cells.length > 0;) {
    const cell = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at, ends);
    const end = cell === undefined ? '"' : (text[cell.end] ?? "");
    if (cell === undefined || !["", separator, "\r", "\n"].includes(end)) {
      throw usageError(
        `${name}:${line}: column ${record.cells.length + 1}: a cell with a quote in it is quoted as a whole, and its quotes are doubled.`,
      );
    }
    record.cells.push({ text: cell.text, quoted: cell.quoted });
    line += cell.text.split(/\r\n|\n|\r/).length - 1;
    at = cell.end + 1;
    if (end === separator) continue;
    if (end === "\r" && text[at] === "\n") at++;
    if (record.cells.some(({ text: content, quoted }) => quoted || content !== "")) records.push(record);
    line++;
    record = { cells: [], line };
  }
  return { records, separator };
}

interface FoundCell extends Cell {
  /** The index of the character that ends it. */
  end: number;
}

function plainCell(text: string, from: number, ends: RegExp): FoundCell {
  ends.lastIndex = from;
  const end = ends.exec(text)?.index ?? text.length;
  return { text: text.slice(from, end), quoted: false, end };
}

function quotedCell(text: string, from: number): FoundCell | undefined {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') {
      return { text: text.slice(from + 1, at).replaceAll('""', '"'), quoted: true, end: at + 1 };
    }
  }
  return undefined;
}
