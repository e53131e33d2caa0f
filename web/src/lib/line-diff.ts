export interface DiffLine {
  kind: "same" | "removed" | "added";
  text: string;
  /** The line's number in the text that has it; in the later text where both have it. */
  number: number;
}

const CONTEXT_LINES = 3;
/** The largest table of lines that is compared: 4 million cells take about 20 ms and 8 MB. */
const CELLS_MAX = 4_000_000;

/** The parts of two texts that differ, each with three lines around it. Lines that differ in their line break only differ. */
export function diffLines(before: string, after: string): DiffLine[][] {
  return hunksOf(compare(linesOf(before), linesOf(after)));
}

/** Lines with their line breaks. */
export function linesOf(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

/** Every line of both texts, in order. */
export function compare(before: readonly string[], after: readonly string[]): DiffLine[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let same = 0;
  while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  const end = after.length - same;
  return [
    ...after.slice(0, start).map((text, at) => lineOf("same", text, at)),
    ...compareMiddle(before.slice(start, before.length - same), after.slice(start, end), start),
    ...after.slice(end).map((text, at) => lineOf("same", text, end + at)),
  ];
}

function compareMiddle(before: readonly string[], after: readonly string[], start: number): DiffLine[] {
  const keptAt = before.length * after.length > CELLS_MAX ? undefined : commonLengths(before, after);
  const lines: DiffLine[] = [];
  const width = after.length + 1;
  let b = 0;
  let a = 0;
  while (b < before.length || a < after.length) {
    const [old = "", next = ""] = [before[b], after[a]];
    if (keptAt !== undefined && b < before.length && a < after.length && old === next) {
      lines.push(lineOf("same", next, start + a));
      b += 1;
      a += 1;
    } else if (
      a === after.length ||
      (b < before.length && (keptAt?.[(b + 1) * width + a] ?? 0) >= (keptAt?.[b * width + a + 1] ?? 0))
    ) {
      lines.push(lineOf("removed", old, start + b));
      b += 1;
    } else {
      lines.push(lineOf("added", next, start + a));
      a += 1;
    }
  }
  return lines;
}

/** Returns for each pair of line indexes the length of the longest common subsequence of the lines from there on. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint16Array {
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  for (let b = before.length - 1; b >= 0; b -= 1) {
    for (let a = after.length - 1; a >= 0; a -= 1) {
      const below = lengths[(b + 1) * width + a] ?? 0;
      const right = lengths[b * width + a + 1] ?? 0;
      const both = (lengths[(b + 1) * width + a + 1] ?? 0) + 1;
      lengths[b * width + a] = before[b] === after[a] ? both : Math.max(below, right);
    }
  }
  return lengths;
}

function lineOf(kind: DiffLine["kind"], text: string, index: number): DiffLine {
  return { kind, text: text.replace(/\r?\n$/, ""), number: index + 1 };
}

function hunksOf(lines: readonly DiffLine[]): DiffLine[][] {
  const hunks: DiffLine[][] = [];
  let shownUntil = 0;
  for (const [at, { kind }] of lines.entries()) {
    if (kind === "same") continue;
    const from = Math.max(shownUntil, at - CONTEXT_LINES);
    const to = Math.min(lines.length, at + 1 + CONTEXT_LINES);
    const current = hunks.at(-1);
    if (current === undefined || from > shownUntil) hunks.push(lines.slice(from, to));
    else current.push(...lines.slice(shownUntil, to));
    shownUntil = Math.max(shownUntil, to);
  }
  return hunks;
}
