import type { DiffLine } from "../line-diff.ts";

/** A row of a split difference; undefined on a side that has no line there. */
export interface LinePair {
  before: DiffLine | undefined;
  after: DiffLine | undefined;
}

/** Puts removed lines beside the added ones that follow them, and lines that stayed beside themselves. */
export function pairLines(lines: readonly DiffLine[]): LinePair[] {
  const pairs: LinePair[] = [];
  let open = 0;
  for (const line of lines) {
    if (line.kind === "same") {
      pairs.push({ before: line, after: line });
      open = pairs.length;
    } else if (line.kind === "removed") {
      pairs.push({ before: line, after: undefined });
    } else {
      const beside = pairs[open];
      if (beside === undefined) pairs.push({ before: undefined, after: line });
      else beside.after = line;
      open += 1;
    }
  }
  return pairs;
}
