import { LOCALE } from "../lib/locale.ts";

const LIFETIMES = [
  { days: 30, label: "30 days" },
  { days: 90, label: "90 days" },
  { days: 365, label: "1 year" },
];

/** The lifetimes to choose from, given the maximum (null for none). The longest comes last. */
export function lifetimeChoices(daysMax: number | null): { value: string; label: string }[] {
  const shorter = LIFETIMES.filter(({ days }) => daysMax === null || days < daysMax);
  const longest =
    daysMax === null
      ? { value: "never", label: "Never" }
      : { value: String(daysMax), label: daysMax === 1 ? "1 day" : `${daysMax} days` };
  return [...shorter.map(({ days, label }) => ({ value: String(days), label })), longest];
}

const DAY = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium" });
const DAY_MS = 24 * 3600 * 1000;

/** Describes when a key with this lifetime (days, or `never`) expires. */
export function describeExpiry(lifetime: string | undefined, now: number): string {
  return lifetime === undefined || lifetime === "never"
    ? "The key never expires."
    : `The key expires on ${DAY.format(now + Number(lifetime) * DAY_MS)}.`;
}
