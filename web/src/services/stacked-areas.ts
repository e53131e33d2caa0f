/** The side of the square in which shapes are drawn, to be stretched to any size. */
export const SIDE = 100;

/**
 * Areas on top of each other, as SVG paths in a square, the first series at the bottom. Each value takes the same width.
 *
 * @param series of the same length
 * @param highest the value at the upper edge
 */
export function stackedAreas(series: readonly (readonly number[])[], highest: number): string[] {
  const length = series[0]?.length ?? 0;
  const x = (index: number) => round((index / length) * SIDE);
  const y = (value: number) => round(SIDE - (value / highest) * SIDE);
  let below = Array.from({ length }, () => 0);
  return series.map((values) => {
    const above = values.map((value, index) => value + (below[index] ?? 0));
    const forth = above.map((value, index) => `${index === 0 ? "M0 " : "V"}${y(value)}H${x(index + 1)}`);
    const back = below.map((value, index) => `V${y(value)}H${x(index)}`).toReversed();
    below = above;
    return `${forth.join("")}${back.join("")}Z`;
  });
}

/** The value at the upper edge of a plot: the next of 2, 4, 10, 20, 40, 100, … Its half is whole, to be written beside the plot. */
export function upperEdge(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, highest)));
  return [2, 4, 10, 20].map((factor) => factor * power).find((edge) => edge >= highest) ?? highest;
}

/** Rounds to two digits: paths are short, and a hundredth of a unit can't be seen. */
export const round = (value: number) => Math.round(value * 100) / 100;
