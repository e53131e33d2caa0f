import { isObject } from "@waymark/openapi/json.ts";
import type { CliContext } from "../../../context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { readText } from "../../../lib/read-text.ts";
import { parseCsv } from "./csv.ts";

/** One row of a table: texts to be converted, or values. */
export type Row = { texts: ReadonlyMap<string, string> } | { values: Record<string, unknown> };

const BYTES_MAX = 32 * 1024 * 1024;
const ROWS_MAX = 100_000;

/**
 * The rows of a data file: a JSON list of objects, or CSV with a header.
 * @throws {CliError} with the line if it is neither, and if it has no row
 */
export async function readRows(context: Pick<CliContext, "cwd" | "openStdin">, name: string): Promise<Row[]> {
  const text = await readText(context, name, { bytesMax: BYTES_MAX });
  const rows = /^\s*[[{]/.test(text) ? jsonRows(text, name) : csvRows(text, name);
  if (rows.length === 0) throw usageError(`${name} has no rows.`);
  if (rows.length > ROWS_MAX) throw usageError(`${name} has more than ${ROWS_MAX} rows.`);
  return rows;
}

function jsonRows(text: string, name: string): Row[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The parser's message would show a part of the text, which may be a secret.
    throw usageError(`${name} is not valid JSON.`, { cause: error });
  }
  const rows: unknown[] = Array.isArray(value) ? value : [value];
  return rows.map((row, index) => {
    if (!isObject(row)) throw usageError(`${name}: row ${index + 1} is not an object of inputs.`);
    return { values: row };
  });
}

/** An empty cell sets no input; a quoted empty cell sets the empty text. */
function csvRows(text: string, name: string): Row[] {
  const [head, ...records] = parseCsv(text, name);
  if (head === undefined) return [];
  const [only] = head.cells;
  if (head.cells.length === 1 && only?.quoted === false && only.text.includes(";")) {
    throw usageError(
      `${name}:1: the header has no comma and looks separated by semicolons. Save the file with commas between the columns.`,
    );
  }
  const names = head.cells.map(({ text: column }) => column.trim());
  const wrong = names.findIndex((column, at) => column === "" || names.indexOf(column) !== at);
  if (wrong >= 0) throw usageError(`${name}:1: column ${wrong + 1} has no unique name.`);
  return records.map(({ cells, line }) => {
    if (cells.length !== names.length) {
      throw usageError(`${name}:${line}: there are ${cells.length} cells, and ${names.length} columns.`);
    }
    const given = cells.map((cell, at) => ({ ...cell, column: names[at] ?? "" }));
    const texts = given.filter(({ text: cell, quoted }) => cell !== "" || quoted);
    return { texts: new Map(texts.map(({ column, text: cell }) => [column, cell])) };
  });
}
