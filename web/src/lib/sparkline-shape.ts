interface Box {
  width: number;
  height: number;
  inset: number;
}

/**
 * A stepped line through the values, as an SVG path with its last point. Undefined for fewer than two values, which make
 * no line.
 */
export function sparklineShape(
  { width, height, inset }: Box,
  values: readonly number[],
): { path: string; end: { x: number; y: number } } | undefined {
  const last = values.at(-1);
  if (last === undefined || values.length < 2) return undefined;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (index: number) => inset + (index / (values.length - 1)) * (width - 2 * inset);
  // A constant value is drawn in the middle.
  const y = (value: number) =>
    high === low ? height / 2 : height - inset - ((value - low) / (high - low)) * (height - 2 * inset);
  const path = values.map((value, index) =>
    index === 0 ? `M${x(0)} ${y(value)}` : `H${x(index)}V${y(value)}`,
  );
  return { path: path.join(""), end: { x: x(values.length - 1), y: y(last) } };
}

/** Describes a trend in words, for screen readers. */
export function describeTrend(label: string, values: readonly number[]): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return high === low
    ? `${label}: ${high} in each of the last ${values.length} runs`
    : `${label} over the last ${values.length} runs: from ${values[0]} to ${values.at(-1)}, between ${low} and ${high}`;
}
