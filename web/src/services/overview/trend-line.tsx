import classes from "./tiles.module.css";
import { trendPath } from "./trend-path.ts";
import type { TrendValues } from "./trend-values.ts";

const WIDTH = 360;
const HEIGHT = 36;

/** Draws a number over the last days, with gaps where it is not known. */
export function TrendLine(props: { label: string; values: TrendValues; edge: number; color: string }) {
  const { label, values, edge, color } = props;
  return (
    <svg
      className={classes["trend"]}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      style={{ color: `var(${color})` }}
    >
      <path className={classes["ground"]} d={`M0 ${HEIGHT}H${WIDTH}`} />
      <path d={trendPath(values, { width: WIDTH, height: HEIGHT, edge })} />
    </svg>
  );
}
