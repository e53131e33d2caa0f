/** Limits of schedules of journeys, as `GET /api/limits` publishes them with the operator's shortest interval. */
export const JOURNEY_SCHEDULE_LIMITS = {
  /** The maximum number of schedules of one organization. */
  schedulesMax: 100,
  nameMax: 100,
  cronMax: 200,
  /** The share of the shortest interval that the jitter may take. */
  jitterPercentMax: 10,
  /** After so many runs in a row that did not pass, or could not be started, a schedule is paused. */
  failuresMax: 20,
  /** A tick that no scheduler reached for so long is missed. */
  lateMinutesMax: 5,
  ticksKeptDays: 90,
} as const;
