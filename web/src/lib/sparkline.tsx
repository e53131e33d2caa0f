import classes from "./sparkline.module.css";

const WIDTH = 88;
const HEIGHT = 22;
const INSET = 3;

/** A small stepped line of a count over the last runs, with a description for screen readers. */
export function Sparkline({ label, values }: { label: string; values: readonly number[] }) {
  const first = values[0];
  const last = values.at(-1);
  if (first === undefined || last === undefined || values.length < 2) return <Blank />;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (index: number) => INSET + (index / (values.length - 1)) * (WIDTH - 2 * INSET);
  // A constant value is drawn in the middle.
  const y = (value: number) =>
    high === low ? HEIGHT / 2 : HEIGHT - INSET - ((value - low) / (high - low)) * (HEIGHT - 2 * INSET);
  const line = values.map((value, index) =>
    index === 0 ? `M${x(0)} ${y(value)}` : `H${x(index)}V${y(value)}`,
  );
  const words =
    high === low
      ? `${label}: ${last} in each of the last ${values.length} runs`
      : `${label} over the last ${values.length} runs: from ${first} to ${last}, between ${low} and ${high}`;
  return (
    <svg
      className={classes["line"]}
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={words}
    >
      <path d={line.join("")} />
      <circle cx={x(values.length - 1)} cy={y(last)} r={2.5} />
    </svg>
  );
}

/** An empty drawing of the same size, so that the numbers beside it stay aligned. */
function Blank() {
  return <svg className={classes["line"]} width={WIDTH} height={HEIGHT} aria-hidden />;
}
