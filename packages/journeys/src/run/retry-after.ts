const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const MONTH = `(?<month>${MONTHS.join("|")})`;
const TIME = String.raw`(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})`;

/** The three forms of a date in HTTP (RFC 9110, 5.6.7). */
const FORMS = [
  String.raw`\w{3}, (?<day>\d{2}) ${MONTH} (?<year>\d{4}) ${TIME} GMT`,
  String.raw`\w{6,9}, (?<day>\d{2})-${MONTH}-(?<year>\d{2}) ${TIME} GMT`,
  String.raw`\w{3} ${MONTH} (?<day>[ \d]\d) ${TIME} (?<year>\d{4})`,
].map((form) => new RegExp(`^${form}$`));

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
  for (const form of FORMS) {
    const parts = form.exec(text)?.groups;
    if (parts === undefined) continue;
    const { year = "", month = "", day, hour, minute, second } = parts;
    const [dayOfMonth, ...time] = [day, hour, minute, second].map(Number);
    return Date.UTC(fullYear(year, now), MONTHS.indexOf(month), dayOfMonth, ...time);
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
