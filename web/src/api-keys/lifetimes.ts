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
