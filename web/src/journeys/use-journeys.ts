import { listJourneyRuns } from "@waymark/shared/journey-runs/addresses.ts";
import { type JourneyRun, JourneyRunPage } from "@waymark/shared/journey-runs/schema.ts";
import * as addresses from "@waymark/shared/journeys/addresses.ts";
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
import { callApi, NO_CURSOR } from "../lib/api.ts";
import { loadAll } from "../lib/load-all.ts";
import { isFinal } from "./run-status.tsx";

const LIVE_MS = 2_000;
const RUNS_LIMIT = 50;

/** Every document that is not archived. */
export function useJourneys() {
  return useQuery({
    queryKey: ["journeys"],
    queryFn: ({ signal }) =>
      loadAll({ address: addresses.listJourneys, field: "journeys", item: JourneyDocument }, signal),
    refetchInterval: ({ state }) =>
      state.data?.some(({ lastRun }) => lastRun !== null && !isFinal(lastRun)) === true ? LIVE_MS : false,
  });
}

const journeyQuery = (journeyId: string) =>
  queryOptions({
    queryKey: ["journey", journeyId],
    queryFn: ({ signal }) =>
      callApi(addresses.getJourney, { params: { journeyId } }, { signal, read: JourneyDocumentDetail }),
  });

export function useJourney(journeyId: string) {
  return useQuery(journeyQuery(journeyId));
}

/** Reads a document for queries that follow links. Several queries at once read it once. */
export function readJourney(client: QueryClient, journeyId: string) {
  return client.fetchQuery(journeyQuery(journeyId));
}

export function useVersions(journeyId: string) {
  return useQuery({
    queryKey: ["journey", journeyId, "versions"],
    queryFn: ({ signal }) =>
      loadAll(
        {
          address: addresses.listJourneyVersions,
          parts: { params: { journeyId } },
          field: "versions",
          item: DocumentVersion,
        },
        signal,
      ),
  });
}

/** The text of a version, which never changes. @param journeyId undefined: none yet */
export function useVersionText(journeyId: string | undefined, version: number) {
  return useQuery({
    queryKey: ["journey", journeyId, "versions", version],
    enabled: journeyId !== undefined,
    queryFn: ({ signal }) =>
      callApi(
        addresses.getJourneyVersion,
        { params: { journeyId: journeyId ?? "", version } },
        { signal, read: DocumentText },
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

type Page = z.infer<typeof JourneyRunPage>;

/** The journey's runs, newest first: the last 50, and 50 older ones for each `fetchNextPage`. */
export function useJourneyRuns(journeyId: string) {
  return useInfiniteQuery({
    queryKey: ["journey", journeyId, "runs"],
    queryFn: ({ signal, pageParam: cursor }) =>
      callApi(
        listJourneyRuns,
        { query: { journeyId, limit: RUNS_LIMIT, cursor } },
        { signal, read: JourneyRunPage },
      ),
    initialPageParam: NO_CURSOR,
    getNextPageParam: (last: Page) => last.nextCursor,
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
