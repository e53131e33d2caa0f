import { useMemo } from "react";
import classes from "./history.module.css";
import { PlotFrame } from "./plot-frame.tsx";
import { momentOf, spanOf } from "./plot-scale.ts";
import { upperEdge } from "./stacked-areas.ts";
import { nearestPoint, type PlotPoint, steppedLine } from "./stepped-line.ts";

/** More would touch each other. */
const DOTS_MAX = 60;

/**
 * A count over time, oldest point first.
 *
 * @param props.color the name of the CSS variable with the line's colour
 * @param props.pointed the point that is marked; null: none
 * @param props.onPoint called with the point under the pointer, or null when the pointer leaves
 */
export function HistoryPlot(props: {
  label: string;
  points: readonly PlotPoint[];
  color: string;
  height: number;
  pointed: number | null;
  onPoint: (index: number | null) => void;
  onOpen: (index: number) => void;
}) {
  const { label, points, color, height, pointed, onPoint, onOpen } = props;
  const { range, shapes } = useMemo(() => shapesOf(points), [points]);
  const timeAt = (share: number) => range.from + share * (range.to - range.from);
  const indexAt = (share: number) => nearestPoint(points, timeAt(share));
  const marked = pointed === null ? undefined : points[pointed];
  return (
    <PlotFrame
      label={label}
      height={height}
      edge={range.edge}
      times={[0, 0.5, 1].map((share) => momentOf(timeAt(share), (range.to - range.from) / 2))}
      pointed={marked === undefined ? null : (marked.at - range.from) / (range.to - range.from)}
      onPoint={(share) => onPoint(share === null ? null : indexAt(share))}
      onOpen={(share) => onOpen(indexAt(share))}
    >
      <path d={shapes.area} fill={`color-mix(in srgb, var(${color}) 12%, transparent)`} />
      <path className={classes["line"]} d={shapes.line} stroke={`var(${color})`} />
      {points.length <= DOTS_MAX && (
        <path className={classes["dots"]} d={shapes.dots} stroke={`var(${color})`} />
      )}
    </PlotFrame>
  );
}

function shapesOf(points: readonly PlotPoint[]) {
  const [from, to] = spanOf(points[0]?.at ?? 0, points.at(-1)?.at ?? 0);
  const range = { from, to, edge: upperEdge(Math.max(0, ...points.map(({ count }) => count))) };
  return { range, shapes: steppedLine(points, range) };
}
