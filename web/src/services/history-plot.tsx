import "uplot/dist/uPlot.min.css";
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { countRangeOf, momentOf, spanOf } from "./plot-scale.ts";

export interface PlotPoint {
  /** Seconds since 1970. */
  at: number;
  count: number;
}

/**
 * A count over time, oldest point first. The line has steps, because a count stays the same until the next run. It is
 * drawn on a canvas, so that thousands of runs cost no more than ten.
 */
export default function HistoryPlot(props: {
  label: string;
  points: readonly PlotPoint[];
  /** The name of the CSS variable with the line's colour. */
  color: string;
  height: number;
  /** Called with the point under the pointer, or null when the pointer leaves. */
  onPoint: (index: number | null) => void;
  onOpen: (index: number) => void;
}) {
  const { label, points, color, height } = props;
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const box = useRef<HTMLDivElement>(null);
  const handlers = useRef(props);
  handlers.current = props;

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const data: uPlot.AlignedData = [points.map((point) => point.at), points.map((point) => point.count)];
    const options = plotOptions({ width: element.clientWidth, height, color, few: points.length <= 60 });
    const plot = new uPlot(
      {
        ...options,
        hooks: { setCursor: [(self) => handlers.current.onPoint(self.cursor.idx ?? null)] },
      },
      data,
      element,
    );
    // For a single point, uPlot would show a range of years.
    const only = points.length === 1 ? points[0] : undefined;
    if (only !== undefined) {
      const [min, max] = spanOf(only.at, only.at);
      plot.setScale("x", { min, max });
    }
    const open = () => {
      if (typeof plot.cursor.idx === "number") handlers.current.onOpen(plot.cursor.idx);
    };
    plot.over.addEventListener("click", open);
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [points, color, height, scheme]);

  return <div ref={box} role="img" aria-label={label} style={{ height }} />;
}

function plotOptions(look: { width: number; height: number; color: string; few: boolean }): uPlot.Options {
  const { width, height, color, few } = look;
  const styles = getComputedStyle(document.documentElement);
  const paint = (name: string) => styles.getPropertyValue(name).trim();
  const axis: uPlot.Axis = {
    stroke: paint("--mantine-color-dimmed"),
    grid: { stroke: paint("--mantine-color-default-border"), width: 1 },
    ticks: { show: false },
    font: `12px ${styles.getPropertyValue("--mantine-font-family")}`,
  };
  return {
    width,
    height,
    legend: { show: false },
    padding: [8, 24, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
    scales: {
      x: { range: (_self, first, last) => spanOf(first, last) },
      y: { range: (_self, _low, high) => countRangeOf(high) },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 80,
        size: 28,
        values: (_self, splits, _axis, _space, step) => splits.map((at) => momentOf(at, step)),
      },
      {
        ...axis,
        size: 52,
        values: (_self, splits) =>
          splits.map((count) => (Number.isInteger(count) ? count.toLocaleString() : "")),
      },
    ],
    series: [
      {},
      {
        stroke: paint(color),
        fill: `color-mix(in srgb, ${paint(color)} 12%, transparent)`,
        width: 2,
        points: { show: few, size: 5, fill: paint(color) },
        ...steppedPaths(),
      },
    ],
  };
}

function steppedPaths(): Pick<uPlot.Series, "paths"> {
  const paths = uPlot.paths.stepped?.({ align: 1 });
  return paths === undefined ? {} : { paths };
}
