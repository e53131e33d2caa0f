/**
 * Orders steps so that each stands after those it depends on, otherwise as they were written. Without any `dependsOn` the
 * order is the author's.
 *
 * @returns the indexes in the order of execution, or the ids of a circle
 */
export function orderSteps(
  steps: readonly { id: string; dependsOn: readonly string[] }[],
): { order: number[] } | { circle: string[] } {
  const indexOf = new Map(steps.map(({ id }, index) => [id, index]));
  const order: number[] = [];
  const done = new Set<number>();
  const open: number[] = [];
  const visit = (index: number): string[] | undefined => {
    if (done.has(index)) return undefined;
    if (open.includes(index))
      return [...open.slice(open.indexOf(index)), index].map((at) => steps[at]?.id ?? "");
    open.push(index);
    for (const id of steps[index]?.dependsOn ?? []) {
      const before = indexOf.get(id);
      const circle = before === undefined ? undefined : visit(before);
      if (circle !== undefined) return circle;
    }
    open.pop();
    done.add(index);
    order.push(index);
    return undefined;
  };
  for (const index of steps.keys()) {
    const circle = visit(index);
    if (circle !== undefined) return { circle };
  }
  return { order };
}
