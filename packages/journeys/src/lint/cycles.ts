/**
 * Nodes that lie on a cycle, or between two. In linear time: whatever has nothing left before it or behind it is taken
 * away until only those remain.
 */
export function cyclic(edges: ReadonlyMap<string, readonly string[]>): Set<string> {
  const left = new Set(edges.keys());
  const backwards = new Map<string, string[]>([...edges.keys()].map((id) => [id, []]));
  for (const [id, targets] of edges) for (const target of targets) backwards.get(target)?.push(id);
  prune(left, edges, backwards);
  prune(left, backwards, edges);
  return left;
}

function prune(
  left: Set<string>,
  out: ReadonlyMap<string, readonly string[]>,
  into: ReadonlyMap<string, readonly string[]>,
): void {
  const degree = new Map<string, number>();
  for (const id of left) degree.set(id, (out.get(id) ?? []).filter((target) => left.has(target)).length);
  const open = [...left].filter((id) => degree.get(id) === 0);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    left.delete(id);
    for (const before of into.get(id) ?? []) {
      if (!left.has(before)) continue;
      const rest = (degree.get(before) ?? 1) - 1;
      degree.set(before, rest);
      if (rest === 0) open.push(before);
    }
  }
}
