let second = Number.NaN;
let prefix = "";

/** Milliseconds since 1970 as ISO 8601 in UTC. Caches the text of the second, because steps follow each other quickly. */
export function isoTime(ms: number): string {
  const whole = Math.floor(ms / 1000);
  if (whole !== second) {
    prefix = new Date(whole * 1000).toISOString().slice(0, -4);
    second = whole;
  }
  return `${prefix}${String(Math.floor(ms) - whole * 1000).padStart(3, "0")}Z`;
}
