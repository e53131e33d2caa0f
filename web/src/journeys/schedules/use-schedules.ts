import {
  JourneySchedule,
  type JourneyScheduleRequest,
  JourneyScheduleTickPage,
} from "@waymark/shared/journey-schedules/schema.ts";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { callApi } from "../../lib/api.ts";
import { loadAll } from "../../lib/load-all.ts";

const ADDRESS = "/api/journey-schedules";
const TICKS_LIMIT = 20;
const keyOf = (journeyId: string) => ["journey", journeyId, "schedules"];

/** The schedules of a journey, newest first. */
export function useSchedules(journeyId: string) {
  return useQuery({
    queryKey: keyOf(journeyId),
    queryFn: ({ signal }) =>
      loadAll(JourneySchedule, `${ADDRESS}?journeyId=${encodeURIComponent(journeyId)}`, "schedules", signal),
  });
}

/** The outcomes of a schedule's times, newest first: 20, and 20 older ones for each `fetchNextPage`. */
export function useTicks({ id, journeyId }: Pick<JourneySchedule, "id" | "journeyId">) {
  return useInfiniteQuery({
    queryKey: [...keyOf(journeyId), id, "ticks"],
    queryFn: ({ signal, pageParam }) => {
      const query = new URLSearchParams({ limit: String(TICKS_LIMIT) });
      if (pageParam !== "") query.set("cursor", pageParam);
      return callApi(JourneyScheduleTickPage, `${ADDRESS}/${id}/ticks?${query}`, { signal });
    },
    initialPageParam: "",
    getNextPageParam: (last) => last.nextCursor,
    select: ({ pages }) => pages.flatMap((page) => page.ticks),
  });
}

function useScheduleChange<Input>(journeyId: string, mutationFn: (input: Input) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keyOf(journeyId) }),
        // These are the schedules of all journeys.
        client.invalidateQueries({ queryKey: ["journey-schedules"] }),
      ]),
  });
}

export function useCreateSchedule(journeyId: string) {
  return useScheduleChange(journeyId, (request: JourneyScheduleRequest) =>
    callApi(JourneySchedule, ADDRESS, { method: "POST", body: request }),
  );
}

export function useSetEnabled({ id, journeyId }: Pick<JourneySchedule, "id" | "journeyId">) {
  return useScheduleChange(journeyId, (enabled: boolean) =>
    callApi(JourneySchedule, `${ADDRESS}/${id}/${enabled ? "resume" : "pause"}`, { method: "POST" }),
  );
}

export function useRemoveSchedule({ id, journeyId }: Pick<JourneySchedule, "id" | "journeyId">) {
  return useScheduleChange(journeyId, () => callApi(z.unknown(), `${ADDRESS}/${id}`, { method: "DELETE" }));
}
