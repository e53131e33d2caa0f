import {
  CancelledJourneyRun,
  type JourneyRun,
  JourneyRunDetail,
  JourneyRunSteps,
  StartedJourneyRun,
} from "@waymark/shared/journey-runs/schema.ts";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { z } from "zod";
import { callApi } from "../../lib/api.ts";
import { isFinal } from "../run-status.tsx";
import { invalidateRuns } from "../use-journeys.ts";
import { Artifact } from "./output-readers.ts";
import { RunResult, RunStep } from "./step-result.ts";

const LIVE_MS = 1_000;
/** The time that the server waits for the next step before it responds with none. */
const WAIT_SECONDS = 20;

const Steps = JourneyRunSteps.extend({ steps: z.array(RunStep) });

const addressOf = (runId: string) => `/api/journey-runs/${encodeURIComponent(runId)}`;

/** A run, read again every second until it has ended. @param runId undefined: none */
export function useJourneyRun(runId: string | undefined) {
  return useQuery({
    queryKey: ["journey-run", runId],
    enabled: runId !== undefined,
    queryFn: ({ signal }) => callApi(JourneyRunDetail, addressOf(runId ?? ""), { signal }),
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
    queryKey: ["journey-run", runId, "steps"],
    enabled: runId !== undefined,
    queryFn: ({ signal, pageParam }) => {
      const { after, waitSeconds } = pageParam;
      const query = new URLSearchParams({ after: String(after), waitSeconds: String(waitSeconds) });
      return callApi(Steps, `${addressOf(runId ?? "")}/steps?${query}`, { signal });
    },
    // The first response comes at once, so that the page shows what there is.
    initialPageParam: { after: -1, waitSeconds: 0 },
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
    queryFn: ({ signal }) => callApi(RunStep, `${addressOf(runId)}/steps/${seq}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The program that a run executes. It never changes. */
export function useArtifact(hash: string) {
  return useQuery({
    queryKey: ["journey-artifact", hash],
    queryFn: ({ signal }) =>
      callApi(Artifact, `/api/journey-artifacts/${encodeURIComponent(hash)}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The result of a run that has ended. @param run undefined: none yet */
export function useRunResult(run: JourneyRun | undefined) {
  return useQuery({
    queryKey: ["journey-run", run?.id, "result"],
    queryFn: ({ signal }) => callApi(RunResult, `${addressOf(run?.id ?? "")}/result`, { signal }),
    enabled: run !== undefined && isFinal(run),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useCancelRun(runId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => callApi(CancelledJourneyRun, `${addressOf(runId)}/cancel`, { method: "POST" }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["journey-run", runId], exact: true }),
  });
}

/** Starts the same version again. @param sameSeed with the same generated values */
export function useRerun({ id, journeyId }: Pick<JourneyRun, "id" | "journeyId">) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (sameSeed: boolean) =>
      callApi(StartedJourneyRun, `${addressOf(id)}/rerun`, { method: "POST", body: { sameSeed } }),
    onSuccess: () => invalidateRuns(client, journeyId),
  });
}
