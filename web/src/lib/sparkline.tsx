import classes from "./sparkline.module.css";

const WIDTH = 88;
const HEIGHT = 22;
const INSET = 3;

/** How a number moved over the last runs, as a small stepped line; in words for who can't see it. */
export function Sparkline({ label, values }: { label: string; values: readonly number[] }) {
  const first = values[0];
  const last = values.at(-1);
  if (first === undefined || last === undefined || values.length < 2) return <Blank />;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (index: number) => INSET + (index / (values.length - 1)) * (WIDTH - 2 * INSET);
  // What never moved lies in the middle.
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

/** Takes the same room, so that numbers beside it stay in line. */
function Blank() {
  return <svg className={classes["line"]} width={WIDTH} height={HEIGHT} aria-hidden />;
}
