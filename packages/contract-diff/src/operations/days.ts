/** Returns the day of a date or time as `YYYY-MM-DD`; undefined if the text is neither. */
export function readDay(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const iso = /^(\d{4}-\d{2}-\d{2})(?:$|[Tt ])/.exec(text)?.[1];
  // The Sunset header has the dates of HTTP.
  const isHttp = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} /.test(text);
  const time = Date.parse(iso ?? (isHttp ? text : ""));
  if (Number.isNaN(time)) return undefined;
  const day = new Date(time).toISOString().slice(0, 10);
  return iso === undefined || iso === day ? day : undefined;
}

/** Returns the number of days from the first day to the second. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
}
