const CONTEXT = 3;
/** Beyond it the middle is shown as replaced as a whole: comparing every line with every other would take too long. */
const LINES_MAX = 2_000;

interface Line {
  sign: " " | "-" | "+";
  text: string;
}

/** The differences of two texts as a unified diff, which `patch` and `git apply` take; empty when there are none. */
export function unifiedDiff(before: string, after: string, name: string): string {
  if (before === after) return "";
  const lines = compare(linesOf(before), linesOf(after));
  return `--- a/${name}\n+++ b/${name}\n${hunks(lines)}`;
}

/** With their line breaks: the last line may have none, which is a difference. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function compare(old: string[], now: string[]): Line[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  )
    end += 1;
  const same = (text: string): Line => ({ sign: " ", text });
  return [
    ...old.slice(0, start).map(same),
    ...middle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...old.slice(old.length - end).map(same),
  ];
}

/** By the longest common subsequence. */
function middle(old: string[], now: string[]): Line[] {
  const gone = (text: string): Line => ({ sign: "-", text });
  const come = (text: string): Line => ({ sign: "+", text });
  if (old.length > LINES_MAX || now.length > LINES_MAX) return [...old.map(gone), ...now.map(come)];
  const width = now.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = now.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        old[row] === now[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: Line[] = [];
  let row = 0;
  let column = 0;
  while (row < old.length || column < now.length) {
    if (row < old.length && column < now.length && old[row] === now[column]) {
      lines.push({ sign: " ", text: old[row] ?? "" });
      row += 1;
      column += 1;
    } else if (row < old.length && (column >= now.length || at(row + 1, column) >= at(row, column + 1))) {
      lines.push(gone(old[row] ?? ""));
      row += 1;
    } else {
      lines.push(come(now[column] ?? ""));
      column += 1;
    }
  }
  return lines;
}

function hunks(lines: Line[]): string {
  const changed = lines.flatMap(({ sign }, index) => (sign === " " ? [] : [index]));
  const ranges: { from: number; to: number }[] = [];
  for (const index of changed) {
    const last = ranges.at(-1);
    if (last !== undefined && index - CONTEXT <= last.to) last.to = index + CONTEXT + 1;
    else ranges.push({ from: Math.max(0, index - CONTEXT), to: index + CONTEXT + 1 });
  }
  return ranges.map(({ from, to }) => hunk(lines, from, Math.min(to, lines.length))).join("");
}

function hunk(lines: Line[], from: number, to: number): string {
  const count = (part: Line[], other: "-" | "+"): number => part.filter(({ sign }) => sign !== other).length;
  const before = lines.slice(0, from);
  const shown = lines.slice(from, to);
  const head = `@@ -${range(count(before, "+"), count(shown, "+"))} +${range(count(before, "-"), count(shown, "-"))} @@\n`;
  return head + shown.map(shownLine).join("");
}

function range(before: number, size: number): string {
  return `${size === 0 ? before : before + 1},${size}`;
}

function shownLine({ sign, text }: Line): string {
  return text.endsWith("\n") ? sign + text : `${sign}${text}\n\\ No newline at end of file\n`;
}
