import { round, SIDE } from "./stacked-areas.ts";

export interface PlotPoint {
  /** Seconds since 1970. */
  at: number;
  count: number;
}

/** The range of a plot: times in seconds since 1970, and counts from zero to `edge`. */
export interface PlotRange {
  from: number;
  to: number;
  edge: number;
}

/** SVG paths of counts over time, oldest point first. They have steps, because a count stays the same until the next point. */
export function steppedLine(points: readonly PlotPoint[], { from, to, edge }: PlotRange) {
  const placed = points.map(({ at, count }) => ({
    x: round(((at - from) / (to - from)) * SIDE),
    y: round(SIDE - (count / edge) * SIDE),
  }));
  const line = placed.map(({ x, y }, index) => (index === 0 ? `M${x} ${y}` : `H${x}V${y}`)).join("");
  const [first, last] = [placed[0], placed.at(-1)];
  const area = first === undefined || last === undefined ? "" : `${line}V${SIDE}H${first.x}Z`;
  return { line, area, dots: placed.map(({ x, y }) => `M${x} ${y}h0`).join("") };
}

/** The index of the point that is nearest to a time. */
export function nearestPoint(points: readonly PlotPoint[], at: number): number {
  const distanceOf = (index: number) => Math.abs((points[index]?.at ?? Number.POSITIVE_INFINITY) - at);
  let nearest = 0;
  for (let index = 1; index < points.length; index++)
    if (distanceOf(index) < distanceOf(nearest)) nearest = index;
  return nearest;
}
