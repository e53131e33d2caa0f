/**
 * Returns the name that a misspelled one most likely means; undefined if none is near.
 *
 * @param distanceMax the number of letters that may differ, which is always less than half of the name
 */
export function nearestName(typed: string, names: readonly string[], distanceMax = 2): string | undefined {
  const near = names
    .map((name) => ({ name, distance: editDistance(typed.slice(0, 60), name) }))
    .filter(({ name, distance }) => distance <= distanceMax && distance < name.length / 2)
    .toSorted((a, b) => a.distance - b.distance);
  return near[0]?.name;
}

/** Returns the number of letters to insert, remove, replace or swap with their neighbour. */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= from.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const replaced = at(row - 1, column - 1) + (isSame ? 0 : 1);
      const swapped = isSwap ? at(row - 2, column - 2) + 1 : Infinity;
      rows[row]?.push(Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, replaced, swapped));
    }
  }
  return at(from.length, to.length);
}
