/** The values of a cron expression that decide the times of a day. */
interface CronTimes {
  /** One space between fields, names in capitals. */
  text: string;
  minutes: readonly number[];
  hours: readonly number[];
}

/** Says where an expression is wrong and what it may be. */
export class CronError extends Error {
  override readonly name = "CronError";
}

interface Field {
  name: string;
  min: number;
  max: number;
  names: readonly string[];
}

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

const MINUTE = { name: "minute", min: 0, max: 59, names: [] };
const HOUR = { name: "hour", min: 0, max: 23, names: [] };
const DAY = { name: "day of the month", min: 1, max: 31, names: [] };
const MONTH = { name: "month", min: 1, max: 12, names: MONTHS };
/** 0 and 7 are Sunday. */
const WEEKDAY = { name: "day of the week", min: 0, max: 7, names: WEEKDAYS };
const FIELDS: readonly Field[] = [MINUTE, HOUR, DAY, MONTH, WEEKDAY];

const FORM = "minute, hour, day of the month, month, day of the week";

/**
 * Checks the form of a cron expression of five fields. Extensions that some schedulers have (seconds, `L`, `W`, `#`, `?`,
 * `@daily`) are refused, because others read them differently.
 *
 * @throws CronError
 */
export function parseCron(text: string): CronTimes {
  const parts = text
    .trim()
    .toUpperCase()
    .split(/[ \t]+/);
  if (parts.length === 6 || parts.length === 7)
    throw new CronError(`has ${parts.length} fields: write five (${FORM}), without seconds or years`);
  if (parts.length !== FIELDS.length)
    throw new CronError(`has ${parts[0] === "" ? 0 : parts.length} fields: write five (${FORM})`);
  const values = FIELDS.map((field, index) => fieldValues(parts[index] ?? "", field, index));
  return { text: parts.join(" "), minutes: values[0] ?? [], hours: values[1] ?? [] };
}

function fieldValues(part: string, field: Field, index: number): number[] {
  const values = new Set<number>();
  for (const item of part.split(",")) {
    const problem = addItem(values, item, field);
    if (problem !== undefined) throw new CronError(`field ${index + 1} (${field.name}): ${problem}`);
  }
  return [...values].toSorted((a, b) => a - b);
}

/** Adds the values of `*`, `a`, `a-b`, or one of these with a step. Gives what is wrong with it. */
function addItem(values: Set<number>, item: string, field: Field): string | undefined {
  const [range = "", stepText, ...more] = item.split("/");
  const ends = range === "*" ? [field.min, field.max] : range.split("-").map((end) => valueOf(end, field));
  const [from, to = from] = ends;
  if (more.length > 0 || ends.length > 2 || from === undefined || to === undefined || !isStep(stepText)) {
    return `"${item}" is not supported. ${allowed(field)}`;
  }
  const step = Number(stepText ?? "1");
  const outside = ends.find((end) => end === undefined || end < field.min || end > field.max);
  if (outside !== undefined) return `${outside} is not from ${field.min} to ${field.max}`;
  if (from > to) return `"${range}" begins after its end. Write two ranges with a comma between them`;
  if (step < 1 || step > field.max) return `the step ${step} is not from 1 to ${field.max}`;
  if (stepText !== undefined && ends.length === 1) return `"${item}" has a step without a range or *`;
  for (let value = from; value <= to; value += step) values.add(value);
  return undefined;
}

function isStep(text: string | undefined): boolean {
  return text === undefined || /^\d{1,4}$/.test(text);
}

function valueOf(text: string, { min, names }: Field): number | undefined {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  const index = names.indexOf(text);
  return index === -1 ? undefined : index + min;
}

function allowed({ min, max, names }: Field): string {
  const named = names.length === 0 ? "" : `, ${names[0]} to ${names.at(-1)}`;
  return `Use numbers from ${min} to ${max}${named}, *, lists with commas, ranges such as ${min}-${max} and steps such as */2`;
}

const DAY_MINUTES = 24 * 60;

/** The shortest time between two times of the expression, in minutes. Days are taken to follow one another. */
export function shortestIntervalMinutes({ minutes, hours }: CronTimes): number {
  const times = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));
  const gaps = times.map((time, index) => (times[index + 1] ?? (times[0] ?? 0) + DAY_MINUTES) - time);
  return Math.min(...gaps);
}
