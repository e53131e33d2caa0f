/** The formats that `now` has by name; any other one is a pattern. */
const NAMED: Record<string, (time: Date) => string | number> = {
  iso: (time) => time.toISOString(),
  date: (time) => time.toISOString().slice(0, 10),
  http: (time) => time.toUTCString(),
  unix: (time) => Math.floor(time.getTime() / 1000),
  unixMs: (time) => time.getTime(),
};

const FIELDS: Record<string, (time: Date) => string> = {
  yyyy: (time) => time.toISOString().slice(0, -20),
  MM: (time) => time.toISOString().slice(-19, -17),
  dd: (time) => time.toISOString().slice(-16, -14),
  HH: (time) => time.toISOString().slice(-13, -11),
  mm: (time) => time.toISOString().slice(-10, -8),
  ss: (time) => time.toISOString().slice(-7, -5),
  SSS: (time) => time.toISOString().slice(-4, -1),
};

const FORMAT_LENGTH_MAX = 100;
const FIELD = /yyyy|MM|dd|HH|mm|ss|SSS/g;

/** Why a text is no format of a time, or undefined. */
export function formatFault(format: string): string | undefined {
  if (Object.hasOwn(NAMED, format)) return undefined;
  if (format.length > FORMAT_LENGTH_MAX) return `is longer than ${FORMAT_LENGTH_MAX} characters`;
  const rest = format.replaceAll(FIELD, "");
  if (rest !== format && /^[^\p{L}]*$/u.test(rest.replaceAll(/[TZ]/g, ""))) return undefined;
  return `is no format: ${Object.keys(NAMED).join(", ")}, or a pattern of ${Object.keys(FIELDS).join(", ")}, T, Z and signs`;
}

/** Writes a time in UTC. The format is one without a fault. */
export function formatTime(time: number, format: string): string | number {
  const date = new Date(time);
  if (Object.hasOwn(NAMED, format)) return NAMED[format]?.(date) ?? "";
  return format.replaceAll(FIELD, (field) => FIELDS[field]?.(date) ?? field);
}

const OFFSET = /^[+-](?:\d{1,6}(?:y|mo|w|d|h|m|s|ms))+$/;
const UNIT_MS: Record<string, number> = {
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
};

/** Why a text is no offset of a time, or undefined. */
export function offsetFault(offset: string): string | undefined {
  return OFFSET.test(offset)
    ? undefined
    : "is no offset: a sign, then numbers with y, mo, w, d, h, m, s or ms, such as +1d or -1h30m";
}

/** Moves a time by an offset without a fault. A day that a month does not have becomes its last one. */
export function movedTime(time: number, offset: string): number {
  const sign = offset.startsWith("-") ? -1 : 1;
  let months = 0;
  let ms = 0;
  for (const [, digits = "", unit = ""] of offset.matchAll(/(\d+)(mo|ms|[ywdhms])/g)) {
    if (unit === "y" || unit === "mo") months += Number(digits) * (unit === "y" ? 12 : 1);
    else ms += Number(digits) * (UNIT_MS[unit] ?? 0);
  }
  return addMonths(time, sign * months) + sign * ms;
}

function addMonths(time: number, months: number): number {
  if (months === 0) return time;
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const last = new Date(date);
  last.setUTCMonth(last.getUTCMonth() + 1, 0);
  date.setUTCDate(Math.min(day, last.getUTCDate()));
  return date.getTime();
}

/** The years that every format can write. */
export function isWritable(time: number): boolean {
  const year = new Date(time).getUTCFullYear();
  return year >= 0 && year <= 9999;
}
