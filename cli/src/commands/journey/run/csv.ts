// Not csv-parse: where a quote is never closed it names the last line of the file, not the line of the quote.
import { usageError } from "../../../lib/cli-error.ts";

interface Cell {
  text: string;
  quoted: boolean;
}

interface CsvRecord {
  cells: Cell[];
  /** Where it begins; counts from 1. */
  line: number;
}

/**
 * Parses CSV (RFC 4180): cells in double quotes may hold commas, line breaks and doubled quotes. Empty lines are left out.
 * @throws {CliError} with the line of a quote that is never closed, or that stands where none may
 */
export function parseCsv(text: string, name: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  const ends = /[",\r\n]|$/g;
  let line = 1;
  let record: CsvRecord = { cells: [], line };
  for (let at = 0; at < text.length || record.cells.length > 0;) {
    const cell = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at, ends);
    const end = cell === undefined ? '"' : (text[cell.end] ?? "");
    if (cell === undefined || !/^[,\r\n]?$/.test(end)) {
      throw usageError(
        `${name}:${line}: a cell with a quote in it is quoted as a whole, and its quotes are doubled.`,
      );
    }
    record.cells.push({ text: cell.text, quoted: cell.quoted });
    line += cell.text.split(/\r\n|\n|\r/).length - 1;
    at = cell.end + 1;
    if (end === ",") continue;
    if (end === "\r" && text[at] === "\n") at++;
    if (record.cells.length > 1 || cell.quoted || cell.text !== "") records.push(record);
    line++;
    record = { cells: [], line };
  }
  return records;
}

interface FoundCell extends Cell {
  /** Index of what ends it. */
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
