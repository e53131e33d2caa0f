import {
  getJourneyRun,
  getJourneyStatistics,
  listJourneyRuns,
  listJourneyRunSteps,
} from "@waymark/shared/journey-runs/addresses.ts";
import { listJourneySchedules } from "@waymark/shared/journey-schedules/addresses.ts";
import * as addresses from "@waymark/shared/journeys/addresses.ts";
import { apiQuery, PAGE_LIMIT } from "../lib/api-query.ts";

const RUNS_LIMIT = 50;

/** Every document that is not archived. */
export const JOURNEYS = apiQuery(["journeys"], addresses.listJourneys, { query: { limit: PAGE_LIMIT } });

export const journeyQuery = (journeyId: string) =>
  apiQuery(["journey", journeyId], addresses.getJourney, { params: { journeyId } });

export const versionsQuery = (journeyId: string) =>
  apiQuery(["journey", journeyId, "versions"], addresses.listJourneyVersions, {
    params: { journeyId },
    query: { limit: PAGE_LIMIT },
  });

/** The text of a version. */
export const versionTextQuery = (journeyId: string, version: number) =>
  apiQuery(["journey", journeyId, "versions", version], addresses.getJourneyVersion, {
    params: { journeyId, version },
  });

/** The journey's runs, newest first. */
export const journeyRunsQuery = (journeyId: string) =>
  apiQuery(["journey", journeyId, "runs"], listJourneyRuns, { query: { journeyId, limit: RUNS_LIMIT } });

/** The schedules of all journeys. */
export const SCHEDULES = apiQuery(["journey-schedules"], listJourneySchedules, {
  query: { limit: PAGE_LIMIT },
});

export const schedulesQuery = (journeyId: string) =>
  apiQuery(["journey", journeyId, "schedules"], listJourneySchedules, {
    query: { journeyId, limit: PAGE_LIMIT },
  });

export const journeyRunQuery = (runId: string) =>
  apiQuery(["journey-run", runId], getJourneyRun, { params: { runId } });

/** The place of the first steps. Their response comes at once, so that the page shows what there is. */
export const FIRST_STEPS = { after: -1, waitSeconds: 0 };

export const runStepsQuery = (runId: string, next = FIRST_STEPS) =>
  apiQuery(["journey-run", runId, "steps"], listJourneyRunSteps, { params: { runId }, query: next });

/** @param lastEnd when the last run ended: statistics from before are not of it */
export const journeyStatisticsQuery = (journeyId: string, lastEnd: string | null) =>
  apiQuery(["journey", journeyId, "statistics", lastEnd], getJourneyStatistics, { query: { journeyId } });
