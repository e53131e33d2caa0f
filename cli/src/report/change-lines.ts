import { printable } from "../lib/text.ts";
import { describeBreakingCount, type ChangeLine, type DescribedChanges } from "./describe-changes.ts";

/** Lines of one kind of item; --json has them all. */
const LINES_MAX = 20;
const CHARS_MAX = 300;

/** Changes as lines for a terminal or a log: counts, then the items, capped. @param options.breaking false if verdicts follow */
export function changeLines(
  changes: DescribedChanges,
  options: { findings: boolean; breaking?: boolean },
): string[] {
  const { endpoints, findings, breaking, endpointCounts, findingCounts } = changes;
  const { headline, limits } = describeBreakingCount(changes);
  return [
    endpointCounts,
    ...capped(endpoints),
    ...(options.findings ? [findingCounts, ...capped(findings)] : []),
    ...(options.breaking === false
      ? []
      : [headline, ...cappedLines(breaking.map((text) => `  ${printable(text, CHARS_MAX)}`)), limits]),
  ];
}

function capped(lines: readonly ChangeLine[]): string[] {
  return cappedLines(lines.map(({ kind, text }) => `  ${kind.padEnd(8)} ${printable(text, CHARS_MAX)}`));
}

function cappedLines(lines: readonly string[]): string[] {
  const more = lines.length - LINES_MAX;
  return more <= 0 ? [...lines] : [...lines.slice(0, LINES_MAX), `  … and ${more} more`];
}
