/** Returns the name that differs least from a misspelled one; undefined if none is near. */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({ name, distance: distance(wanted.slice(0, 40).toLowerCase(), name.toLowerCase()) }))
    .toSorted((one, other) => one.distance - other.distance)[0];
  return near !== undefined && near.distance <= Math.max(1, wanted.length / 3) ? near.name : undefined;
}

/** Levenshtein's distance. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let to = 1; to <= other.length; to++) {
      const isSame = one[at - 1] === other[to - 1];
      next[to] = Math.min((row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1, (row[to - 1] ?? 0) + (isSame ? 0 : 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
