import * as addresses from "@waymark/shared/journey-runs/addresses.ts";
import {
  type JourneyRun,
  JourneyRunSteps,
  JourneyRunDetail,
  CancelledJourneyRun,
  StartedJourneyRun,
} from "@waymark/shared/journey-runs/schema.ts";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { z } from "zod";
import { callAny, callApi } from "../../lib/api.ts";
import { isFinal } from "../run-status.tsx";
import { readQuery } from "../../lib/read-query.ts";
import { FIRST_STEPS, journeyRunQuery, runStepsQuery } from "../api-queries.ts";
import { invalidateRuns } from "../use-journeys.ts";
import { Artifact } from "./output-readers.ts";
import { RunResult, RunStep } from "./step-result.ts";

const LIVE_MS = 1_000;
/** The time that the server waits for the next step before it responds with none. */
const WAIT_SECONDS = 20;

const Steps = JourneyRunSteps.extend({ steps: z.array(RunStep) });

/** A run, read again every second until it has ended. @param runId undefined: none */
export function useJourneyRun(runId: string | undefined) {
  return useQuery({
    ...readQuery(journeyRunQuery(runId ?? ""), JourneyRunDetail),
    enabled: runId !== undefined,
    refetchInterval: ({ state }) => (state.data !== undefined && isFinal(state.data) ? false : LIVE_MS),
  });
}

/**
 * The steps that have ended. Each request waits for the next one, until the run has ended.
 *
 * @param runId undefined: none
 */
export function useRunSteps(runId: string | undefined) {
  const steps = useInfiniteQuery({
    queryKey: runStepsQuery(runId ?? "").queryKey,
    enabled: runId !== undefined,
    queryFn: ({ signal, pageParam: next }) =>
      readQuery(runStepsQuery(runId ?? "", next), Steps).queryFn({ signal }),
    initialPageParam: FIRST_STEPS,
    getNextPageParam: (last, _pages, { after }) =>
      last.isFinal && last.steps.length === 0
        ? undefined
        : { after: last.steps.at(-1)?.seq ?? after, waitSeconds: WAIT_SECONDS },
    select: ({ pages }) => pages.flatMap((page) => page.steps),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { hasNextPage, isFetching, isError, fetchNextPage } = steps;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  return steps;
}

/** A step with its request and response. */
export function useRunStep(runId: string, seq: number) {
  return useQuery({
    queryKey: ["journey-run", runId, "steps", seq],
    queryFn: ({ signal }) =>
      callApi(addresses.getJourneyRunStep, { params: { runId, seq } }, { signal, read: RunStep }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The program that a run executes. It never changes. */
export function useArtifact(hash: string) {
  return useQuery({
    queryKey: ["journey-artifact", hash],
    // The operation declares the file as text, whatever the JSON in it is.
    queryFn: ({ signal }) =>
      callAny(addresses.getJourneyArtifact, { params: { hash } }, { signal, read: Artifact }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The result of a run that has ended. @param run undefined: none yet */
export function useRunResult(run: JourneyRun | undefined) {
  return useQuery({
    queryKey: ["journey-run", run?.id, "result"],
    queryFn: ({ signal }) =>
      callApi(
        addresses.getJourneyRunResult,
        { params: { runId: run?.id ?? "" } },
        { signal, read: RunResult },
      ),
    enabled: run !== undefined && isFinal(run),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useCancelRun(runId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      callApi(addresses.cancelJourneyRun, { params: { runId } }, { read: CancelledJourneyRun }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["journey-run", runId], exact: true }),
  });
}

/** Starts the same version again. @param sameSeed with the same generated values */
export function useRerun({ id, journeyId }: Pick<JourneyRun, "id" | "journeyId">) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (sameSeed: boolean) =>
      callApi(
        addresses.rerunJourney,
        { params: { runId: id }, body: { sameSeed } },
        { read: StartedJourneyRun },
      ),
    onSuccess: () => invalidateRuns(client, journeyId),
  });
}
