/** What a plot shows, in words, for screen readers. */
export function describeHistory(label: string, counts: readonly number[]): string {
  return counts.length === 1
    ? `${label} over 1 run: ${counts[0]}`
    : `${label} over ${counts.length} runs: from ${counts[0]} to ${counts.at(-1)}`;
}

/** Whether two moments are on one day of the reader's time zone. */
export function isSameDay(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && new Date(a).toDateString() === new Date(b).toDateString();
}
