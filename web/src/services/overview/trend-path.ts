import { round } from "../stacked-areas.ts";
import type { TrendValues } from "./trend-values.ts";

interface Box {
  width: number;
  height: number;
  /** The value at the upper edge; 0 is at the lower one. */
  edge: number;
}

/**
 * Returns the SVG path of the values, with a line for each run of known days and a gap for the others. A known day between unknown ones
 * is a point.
 */
export function trendPath(values: TrendValues, { width, height, edge }: Box): string {
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values
    .map((value, index) => {
      if (value === null) return "";
      const place = `${round(index * step)} ${round(height - (value / edge) * height)}`;
      const isFirst = (values[index - 1] ?? null) === null;
      const isLast = (values[index + 1] ?? null) === null;
      // A line without length has the size of its round ends.
      return isFirst && isLast ? `M${place}h0.01` : `${isFirst ? "M" : "L"}${place}`;
    })
    .join("");
}
