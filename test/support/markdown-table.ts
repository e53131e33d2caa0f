/** Padded as the formatter does it, so that a written report needs no formatting. */
export function markdownTable(head: readonly string[], rows: readonly (string | undefined)[][]): string[] {
  const all = [head, ...rows].map((row) => row.map((cell) => cell ?? ""));
  const widths = head.map((_, column) => Math.max(3, ...all.map((row) => row[column]?.length ?? 0)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [first = [], ...rest] = all;
  return [line(first), line(widths.map((width) => "-".repeat(width))), ...rest.map(line)];
}
