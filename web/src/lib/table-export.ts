export type Cell = string | number | boolean | null | readonly string[];

/** The fields of an exported row: names as in the API, and how to read them. */
export type ExportFields<Row> = Readonly<Record<string, (row: Row) => Cell>>;

/**
 * Matches the positions where a spreadsheet may begin a cell and take it for a formula: at the start, and after the
 * separators of other locales. Quotes in between don't stop it. Texts come from descriptions, which nobody has checked.
 */
const FORMULA =
  /^(?="*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])|(?<=[;|\t\r\n])(?="*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
/** The byte order mark, without which spreadsheets read UTF-8 as another encoding. */
const BYTE_ORDER_MARK = "\uFEFF";

/** The rows as CSV (RFC 4180) with a header. A text that a spreadsheet could take for a formula gets an apostrophe before it. */
export function toCsv<Row>(fields: ExportFields<Row>, rows: readonly Row[]): string {
  const readers = Object.values(fields);
  const lines = [Object.keys(fields), ...rows.map((row) => readers.map((read) => read(row)))];
  return BYTE_ORDER_MARK + lines.map((cells) => `${cells.map(toCsvCell).join(",")}\r\n`).join("");
}

function toCsvCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number" || typeof cell === "boolean") return String(cell);
  const text = typeof cell === "string" ? cell : cell.join(", ");
  const safe = text.replaceAll(FORMULA, "'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The rows as a JSON array of objects. */
export function toJson<Row>(fields: ExportFields<Row>, rows: readonly Row[]): string {
  const readers = Object.entries(fields);
  const objects = rows.map((row) => Object.fromEntries(readers.map(([name, read]) => [name, read(row)])));
  return `${JSON.stringify(objects, null, 2)}\n`;
}

/** A file name without characters that a file system could refuse: `waymark-orders-findings.csv`. */
export function exportFileName(parts: readonly string[], extension: "csv" | "json"): string {
  const words = parts.map((part) =>
    part.replaceAll(/[^\p{L}\p{N}._]+/gu, "-").replaceAll(/^[-.]+|[-.]+$/g, ""),
  );
  return `${["waymark", ...words].filter(Boolean).join("-").slice(0, 120)}.${extension}`;
}
