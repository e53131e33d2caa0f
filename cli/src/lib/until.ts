import { usageError } from "./cli-error.ts";
import { given } from "./config.ts";
import { printable } from "./text.ts";

/** Returns the day of an option `--until`; undefined without one. @throws {CliError} for what is no day, and for one that is over */
export function settleUntil(text: string | undefined): string | undefined {
  const day = given(text);
  if (day === undefined) return undefined;
  // A day such as 2027-02-30 becomes one of March.
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day));
  if (!isDay || new Date(day).toISOString().slice(0, 10) !== day)
    throw usageError(`--until takes a day such as 2027-03-31, and not "${printable(day, 100)}".`);
  if (day < new Date().toISOString().slice(0, 10)) throw usageError(`--until ${day} is over.`);
  return day;
}
