import { type JourneyRun, JourneyRunPage } from "@waymark/shared/journey-runs/schema.ts";
import {
  DocumentVersion,
  JourneyDocument,
  JourneyDocumentDetail,
  DocumentText,
} from "@waymark/shared/journeys/schema.ts";
import {
  type InfiniteData,
  type QueryClient,
  queryOptions,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import type { z } from "zod";
import { readList, readPages, readQuery } from "../lib/read-query.ts";
import * as queries from "./api-queries.ts";
import { isFinal } from "./run-status.tsx";

const LIVE_MS = 2_000;

/** Every document that is not archived. */
export function useJourneys({ enabled = true } = {}) {
  return useQuery({
    enabled,
    ...readList(queries.JOURNEYS, { field: "journeys", item: JourneyDocument }),
    refetchInterval: ({ state }) =>
      state.data?.some(({ lastRun }) => lastRun !== null && !isFinal(lastRun)) === true ? LIVE_MS : false,
  });
}

const journeyOptions = (journeyId: string) =>
  queryOptions(readQuery(queries.journeyQuery(journeyId), JourneyDocumentDetail));

export function useJourney(journeyId: string) {
  return useQuery(journeyOptions(journeyId));
}

/** Reads a document for queries that follow links. Several queries at once read it once. */
export function readJourney(client: QueryClient, journeyId: string) {
  return client.fetchQuery(journeyOptions(journeyId));
}

export function useVersions(journeyId: string) {
  return useQuery(readList(queries.versionsQuery(journeyId), { field: "versions", item: DocumentVersion }));
}

/** The text of a version, which never changes. @param journeyId undefined: none yet */
export function useVersionText(journeyId: string | undefined, version: number) {
  return useQuery({
    ...readQuery(queries.versionTextQuery(journeyId ?? "", version), DocumentText),
    enabled: journeyId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

type Page = z.infer<typeof JourneyRunPage>;

/** The journey's runs, newest first: the last 50, and 50 older ones for each `fetchNextPage`. */
export function useJourneyRuns(journeyId: string) {
  return useInfiniteQuery({
    ...readPages(queries.journeyRunsQuery(journeyId), JourneyRunPage),
    select: allRuns,
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.runs.some((run) => !isFinal(run)) === true ? LIVE_MS : false,
  });
}

/** Loads the data about a journey's runs again, after one was started. */
export function invalidateRuns(client: QueryClient, journeyId: string): Promise<unknown> {
  return Promise.all([
    client.invalidateQueries({ queryKey: ["journeys"] }),
    client.invalidateQueries({ queryKey: ["journey", journeyId], exact: true }),
    client.invalidateQueries({ queryKey: ["journey", journeyId, "runs"] }),
  ]);
}

function allRuns(data: InfiniteData<Page>): JourneyRun[] {
  return data.pages.flatMap((page) => page.runs);
}
