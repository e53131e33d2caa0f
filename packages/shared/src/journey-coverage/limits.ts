/** Limits of the coverage of journeys, as `GET /api/limits` publishes them. */
export const JOURNEY_COVERAGE_LIMITS = {
  windowDaysDefault: 30,
  windowDaysMax: 400,
  /** Endpoints of all services of one answer: name a service where there are more. */
  endpointsMax: 20_000,
} as const;
