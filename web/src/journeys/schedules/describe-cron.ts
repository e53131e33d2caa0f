const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const LIST = new Intl.ListFormat("en");

/**
 * Describes a cron expression in words, such as `at 02:30, Monday to Friday`. Undefined for an expression without five
 * fields or with a part that has no words here: the server describes its faults.
 */
export function describeCron(cron: string): string | undefined {
  const fields = cron.trim().toUpperCase().split(/\s+/);
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields;
  const time = describeTime(minute, hour);
  const days = describeDays(day, weekday);
  const months = describeValues(month, nameOfMonth);
  if (fields.length !== 5 || time === undefined || days === undefined || months === undefined)
    return undefined;
  const which = [days, month === "*" ? "" : `in ${months}`].filter((part) => part !== "");
  if (which.length > 0) return `${time}, ${which.join(" ")}`;
  return time.startsWith("at ") ? `${time}, every day` : time;
}

function describeTime(minute: string, hour: string): string | undefined {
  const step = /^\*\/(\d{1,2})$/.exec(minute)?.[1];
  const minutes = step === undefined ? numbersOf(minute) : undefined;
  if (hour === "*") {
    if (minute === "*") return "every minute";
    if (step !== undefined) return `every ${step} minutes`;
    return minutes === undefined ? undefined : `every hour at minute ${LIST.format(minutes.map(String))}`;
  }
  const hourStep = /^\*\/(\d{1,2})$/.exec(hour)?.[1];
  if (hourStep !== undefined && minutes?.length === 1)
    return `every ${hourStep} hours at minute ${minutes.join("")}`;
  const hours = numbersOf(hour);
  if (hours !== undefined && minutes !== undefined && hours.length * minutes.length <= 6)
    return `at ${LIST.format(hours.flatMap((h) => minutes.map((m) => `${twoDigits(h)}:${twoDigits(m)}`)))}`;
  const range = /^(\d{1,2})-(\d{1,2})$/.exec(hour);
  if (range === null) return undefined;
  const between = `from ${twoDigits(range[1] ?? "")} to ${twoDigits(range[2] ?? "")} o'clock`;
  if (step !== undefined) return `every ${step} minutes ${between}`;
  return minutes === undefined ? undefined : `at minute ${LIST.format(minutes.map(String))} ${between}`;
}

/** Describes the days. If both fields are limited, a day that matches either of them is enough. */
function describeDays(day: string, weekday: string): string | undefined {
  const [days, weekdays] = [describeValues(day, dayOfMonth), describeValues(weekday, nameOfDay)];
  if (days === undefined || weekdays === undefined) return undefined;
  const parts = [
    day === "*" ? "" : `on day ${days} of the month`,
    weekday === "*" ? "" : `${day === "*" ? "" : "on "}${weekdays}`,
  ];
  return parts.filter((part) => part !== "").join(" or ");
}

/** Describes `1-3,5` as `1 to 3 and 5`; undefined for steps and for values without a name. */
function describeValues(field: string, nameOf: (value: string) => string | undefined): string | undefined {
  if (field === "*") return "";
  const parts = field.split(",").map((part) => {
    const ends = part.split("-");
    const names = ends.map((end) => (/^\w+$/.test(end) ? nameOf(end) : undefined));
    return names.includes(undefined) || ends.length > 2 ? undefined : names.join(" to ");
  });
  const known = parts.filter((part) => part !== undefined);
  return known.length === parts.length ? LIST.format(known) : undefined;
}

function dayOfMonth(value: string): string | undefined {
  return /^\d{1,2}$/.test(value) ? value : undefined;
}

function nameOfDay(value: string): string | undefined {
  if (/^[0-7]$/.test(value)) return DAYS[Number(value) % 7];
  return DAYS.find((name) => name.slice(0, 3).toUpperCase() === value);
}

function nameOfMonth(value: string): string | undefined {
  if (/^\d{1,2}$/.test(value)) return MONTHS[Number(value) - 1];
  return MONTHS.find((name) => name.slice(0, 3).toUpperCase() === value);
}

function numbersOf(field: string): number[] | undefined {
  return /^\d{1,2}(,\d{1,2})*$/.test(field) ? field.split(",").map(Number) : undefined;
}

function twoDigits(value: number | string): string {
  return String(value).padStart(2, "0");
}
