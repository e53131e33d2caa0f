import { LOCALE } from "./locale.ts";

/** Dates and ages as the reader's language has them. */
interface TimeFormats {
  long: Intl.DateTimeFormat;
  exact: Intl.DateTimeFormat;
  day: Intl.DateTimeFormat;
  age: Intl.RelativeTimeFormat;
}

let made: TimeFormats | undefined;

/** Takes 45 ms the first time. */
export function timeFormats(): TimeFormats {
  return (made ??= {
    long: new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "short" }),
    exact: new Intl.DateTimeFormat(LOCALE, {
      year: "numeric",
      month: "short",
      day: "numeric",
      hour: "numeric",
      minute: "2-digit",
      second: "2-digit",
      timeZoneName: "short",
    }),
    day: new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium" }),
    age: new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto" }),
  });
}
