/** The value below which the share `q` (0 to 1) of the values lies; linear between neighbours. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const index = (sorted.length - 1) * q;
  const below = sorted[Math.floor(index)] ?? Number.NaN;
  const above = sorted[Math.ceil(index)] ?? Number.NaN;
  return below + (above - below) * (index - Math.floor(index));
}

export interface Summary {
  median: number;
  /** First and third quartile. */
  low: number;
  high: number;
}

export function summarize(values: readonly number[]): Summary {
  return { median: quantile(values, 0.5), low: quantile(values, 0.25), high: quantile(values, 0.75) };
}
