/** Limits of links to runs of journeys: hours, links, Unicode characters. */
export const JOURNEY_RUN_LINK_LIMITS = {
  hoursMax: 30 * 24,
  perRunMax: 50,
  openMax: 1_000,
  noteMax: 200,
} as const;

/** The hours for which a link works if its maker does not say. */
export const LINK_HOURS_DEFAULT = 7 * 24;
