/** Returns a share as a whole percentage: 100 only for a whole one, 0 only for an empty one. */
export function wholePercent(part: number, whole: number): number {
  const percent = Math.floor((part / whole) * 100);
  return part > 0 ? Math.max(1, percent) : 0;
}
