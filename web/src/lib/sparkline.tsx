import classes from "./sparkline.module.css";
import { describeTrend, sparklineShape } from "./sparkline-shape.ts";

const WIDTH = 88;
const HEIGHT = 22;
const INSET = 3;

/** A small stepped line of a count over the last runs, with a description for screen readers. */
export function Sparkline({ label, values }: { label: string; values: readonly number[] }) {
  const shape = sparklineShape({ width: WIDTH, height: HEIGHT, inset: INSET }, values);
  if (shape === undefined) return <Blank />;
  return (
    <svg
      className={classes["line"]}
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={describeTrend(label, values)}
    >
      <path d={shape.path} />
      <circle cx={shape.end.x} cy={shape.end.y} r={2.5} />
    </svg>
  );
}

/** An empty drawing of the same size, so that the numbers beside it stay aligned. */
function Blank() {
  return <svg className={classes["line"]} width={WIDTH} height={HEIGHT} aria-hidden />;
}
