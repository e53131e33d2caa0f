import { plural, printable } from "../lib/text.ts";
import type { SkippedDescription } from "./find-descriptions.ts";

const NAMED_MAX = 10;

/** Says which descriptions were not taken, and why: a line for all, and one for each of the first. */
export function describeSkipped(skipped: readonly SkippedDescription[]): string[] {
  if (skipped.length === 0) return [];
  const more = skipped.length - NAMED_MAX;
  return [
    `${plural(skipped.length, "description")} left out:`,
    ...skipped.slice(0, NAMED_MAX).map(({ spec, reason }) => printable(`  ${spec}: ${reason}`, 600)),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ];
}
