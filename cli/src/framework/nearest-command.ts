const DISTANCE_MAX = 2;

/** ` Did you mean "waymark scan"?`, or nothing if no command is near. */
export function suggestion(typed: string, names: readonly string[]): string {
  const inGroup = names.find((name) => name.endsWith(` ${typed}`));
  const meant = inGroup ?? nearestName(typed, names);
  return meant === undefined ? "" : ` Did you mean "waymark ${meant}"?`;
}

/** The name of a command or an option that a misspelled one most likely means; undefined when none is near. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({ name, distance: editDistance(typed.slice(0, 60), name) }))
    .filter(({ name, distance }) => distance <= DISTANCE_MAX && distance < name.length / 2)
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
