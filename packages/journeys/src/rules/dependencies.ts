export interface SortedDependencies {
  /** Indexes, each after those it depends on. Dependencies that close a cycle are ignored. */
  order: number[];
  /** Ids that wait for each other; the first one is repeated at the end. */
  cycles: string[][];
}

/** Cycles that are reported. */
const CYCLES_MAX = 10;

/** Ids of a cycle that a message names. */
const NAMES_MAX = 10;

/** Sorts items so that each one stands after those it depends on, otherwise in the given order. Unknown ids are ignored. */
export function sortByDependencies(
  items: readonly { id: string; dependsOn: readonly string[] }[],
): SortedDependencies {
  const indexOf = new Map(items.map(({ id }, index) => [id, index]));
  const sorted: SortedDependencies = { order: [], cycles: [] };
  const seen = new Map<number, "open" | "done">();
  for (const first of items.keys()) {
    // Iterative: a chain of dependencies may be longer than the stack.
    const path = seen.has(first) ? [] : [{ index: first, next: 0 }];
    seen.set(first, seen.get(first) ?? "open");
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const id = items[top.index]?.dependsOn[top.next++];
      const before = id === undefined ? undefined : indexOf.get(id);
      if (id === undefined) {
        seen.set(top.index, "done");
        sorted.order.push(top.index);
        path.pop();
      } else if (before !== undefined && !seen.has(before)) {
        seen.set(before, "open");
        path.push({ index: before, next: 0 });
      } else if (before !== undefined && seen.get(before) === "open" && sorted.cycles.length < CYCLES_MAX) {
        const from = path.findIndex(({ index }) => index === before);
        sorted.cycles.push([...path.slice(from).map(({ index }) => items[index]?.id ?? ""), id]);
      }
    }
  }
  return sorted;
}

/** A cycle for a message. */
export function cycleText(cycle: readonly string[]): string {
  const names =
    cycle.length > NAMES_MAX + 1 ? [...cycle.slice(0, NAMES_MAX), "…", ...cycle.slice(-1)] : cycle;
  return names.join(" → ");
}
