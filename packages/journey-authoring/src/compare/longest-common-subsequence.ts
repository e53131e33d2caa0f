/**
 * The longest sequence that two orders of the same items have in common.
 *
 * @param before and `after` have the same items, each once
 */
export function longestCommonSubsequence(before: readonly string[], after: readonly string[]): string[] {
  const indexes = new Map(before.map((item, index) => [item, index]));
  // Increasing indexes are in the same order in both.
  const order = after.map((item) => indexes.get(item) ?? -1);
  // `ends[n]`: where the increasing sequence of n + 1 items ends that has the lowest index at its end.
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [at, index] of order.entries()) {
    let low = 0;
    for (let high = ends.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((order[ends[middle] ?? 0] ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    previous[at] = ends[low - 1] ?? -1;
    ends[low] = at;
  }
  const common: string[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) common.push(after[at] ?? "");
  return common.toReversed();
}
