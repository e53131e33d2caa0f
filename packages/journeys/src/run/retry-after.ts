const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const MONTH = `(${MONTHS.join("|")})`;
const TIME = String.raw`(\d{2}):(\d{2}):(\d{2})`;

/** The three forms of a date in HTTP (RFC 9110, 5.6.7), with the places of day, month, year, hour, minute and second. */
const FORMS: readonly { pattern: RegExp; order: readonly number[] }[] = [
  {
    pattern: new RegExp(String.raw`^\w{3}, (\d{2}) ${MONTH} (\d{4}) ${TIME} GMT$`),
    order: [1, 2, 3, 4, 5, 6],
  },
  {
    pattern: new RegExp(String.raw`^\w{6,9}, (\d{2})-${MONTH}-(\d{2}) ${TIME} GMT$`),
    order: [1, 2, 3, 4, 5, 6],
  },
  { pattern: new RegExp(String.raw`^\w{3} ${MONTH} ([ \d]\d) ${TIME} (\d{4})$`), order: [2, 1, 6, 3, 4, 5] },
];

/**
 * Returns the delay of a Retry-After header in milliseconds, undefined if it is neither seconds nor a date of HTTP.
 *
 * @param now milliseconds since 1970
 */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = parseHttpDate(text, now);
  return date === undefined ? undefined : Math.max(0, date - now);
}

function parseHttpDate(text: string, now: number): number | undefined {
  for (const { pattern, order } of FORMS) {
    const parts = pattern.exec(text);
    if (parts === null) continue;
    const [day = "", month = "", year = "", ...time] = order.map((place) => parts[place] ?? "");
    const [hour = 0, minute = 0, second = 0] = time.map(Number);
    return Date.UTC(fullYear(year, now), MONTHS.indexOf(month), Number(day), hour, minute, second);
  }
  return undefined;
}

/** A year of two digits that seems to be more than 50 years ahead is one of the past. */
function fullYear(year: string, now: number): number {
  if (year.length === 4) return Number(year);
  const current = new Date(now).getUTCFullYear();
  const full = current - (current % 100) + Number(year);
  return full > current + 50 ? full - 100 : full;
}
