/** Limits of what a person snoozes: items of one person, days from now, Unicode characters. */
export const SNOOZE_LIMITS = {
  perUserMax: 1_000,
  daysMax: 90,
  eventMax: 300,
} as const;
