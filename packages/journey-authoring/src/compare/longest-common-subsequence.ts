/**
 * Which items of a list stay where they are, if as few as possible move: the longest of the sequences that both orders have.
 *
 * @param before and `after` have the same items, each once
 */
export function stayingIn(before: readonly string[], after: readonly string[]): Set<string> {
  const places = new Map(before.map((item, place) => [item, place]));
  const order = after.map((item) => places.get(item) ?? -1);
  // `ends[n]`: where the sequence of n + 1 items ends that has the lowest place at its end.
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [index, place] of order.entries()) {
    let low = 0;
    for (let high = ends.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((order[ends[middle] ?? 0] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    previous[index] = ends[low - 1] ?? -1;
    ends[low] = index;
  }
  const staying = new Set<string>();
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1)
    staying.add(after[index] ?? "");
  return staying;
}
