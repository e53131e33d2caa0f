import { isObject } from "@waymark/openapi/json.ts";
import type { CliContext } from "../../../framework/context.ts";
import { parseJson } from "@waymark/journeys/expressions/exact-json.ts";
import { usageError } from "../../../lib/cli-error.ts";
import type { CliError } from "../../../lib/cli-error.ts";
import { printable } from "../../../lib/text.ts";
import { parseCsv } from "./csv.ts";
import { readDataText } from "./data-text.ts";

/** One row of a table: texts to be converted, and their file and line, or values. */
export type Row = { texts: ReadonlyMap<string, string>; place: string } | { values: Record<string, unknown> };

/** Returns the label of a run that distinguishes it from those of other rows, such as ` [row 3]`. */
export function rowLabel(index: number): string {
  return ` [row ${index + 1}]`;
}

const BYTES_MAX = 32 * 1024 * 1024;
const ROWS_MAX = 100_000;

/**
 * Reads the rows of a data file: a JSON list of objects, or CSV with a header.
 * @throws {CliError} with the line if it is neither, and if it has no row
 */
export async function readRows(context: Pick<CliContext, "cwd" | "openStdin">, name: string): Promise<Row[]> {
  const text = await readDataText(context, name, BYTES_MAX);
  const rows = /^\s*[[{]/.test(text) ? jsonRows(text, name) : csvRows(text, name);
  if (rows.length === 0) throw usageError(`${name} has no rows.`);
  if (rows.length > ROWS_MAX) throw usageError(`${name} has more than ${ROWS_MAX} rows.`);
  return rows;
}

function jsonRows(text: string, name: string): Row[] {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    // The parser's message would show a part of the text, which may be a secret.
    throw usageError(`${placeOf(error, name)} is not valid JSON.`, { cause: error });
  }
  const rows: unknown[] = Array.isArray(value) ? value : [value];
  return rows.map((row, index) => {
    if (!isObject(row)) throw usageError(`${name}: row ${index + 1} is not an object of inputs.`);
    return { values: row };
  });
}

/** The file with the line and column that the parser names. */
function placeOf(error: unknown, name: string): string {
  const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec(String(error)) ?? [];
  return line === undefined ? name : `${name}:${line}:${column}: this`;
}

/** An empty cell sets no input; a quoted empty cell sets the empty text. */
function csvRows(text: string, name: string): Row[] {
  const { records, separator } = parseCsv(text, name);
  const [head, ...rest] = records;
  if (head === undefined) return [];
  const names = head.cells.map(({ text: column }) => column.trim());
  checkHeader(names, `${name}:${head.line}`);
  return rest.map(({ cells, line }) => {
    if (cells.length !== names.length) throw cellCount(`${name}:${line}`, { cells, names, separator });
    const given = cells.map((cell, at) => ({ ...cell, column: names[at] ?? "" }));
    const texts = given.filter(({ text: cell, quoted }) => cell !== "" || quoted);
    return {
      texts: new Map(texts.map(({ column, text: cell }) => [column, cell])),
      place: `${name}:${line}`,
    };
  });
}

function checkHeader(names: readonly string[], place: string): void {
  for (const [at, column] of names.entries()) {
    if (column === "") {
      throw usageError(`${place}: column ${at + 1} has no name. Name its input, or remove the column.`);
    }
    const first = names.indexOf(column);
    if (first === at) continue;
    throw usageError(
      `${place}: column ${at + 1} has the name of column ${first + 1}, "${printable(column, 60)}". Remove one of them.`,
    );
  }
}

function cellCount(
  place: string,
  row: { cells: readonly unknown[]; names: readonly string[]; separator: string },
): CliError {
  const { cells, names, separator } = row;
  const counts = `${place}: there are ${cells.length} cells, and ${names.length} columns.`;
  if (cells.length < names.length) {
    const missing = printable(names[cells.length] ?? "", 60);
    return usageError(
      `${counts} Column ${cells.length + 1}, "${missing}", has no cell; an empty one sets no input.`,
    );
  }
  const sign = separator === "\t" ? "a tab" : `"${separator}"`;
  return usageError(`${counts} Quote a cell that contains ${sign}.`);
}
