import * as addresses from "@waymark/shared/journey-schedules/addresses.ts";
import {
  type JourneyScheduleRequest,
  JourneyScheduleTickPage,
  JourneySchedule,
} from "@waymark/shared/journey-schedules/schema.ts";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { callApi, NO_CURSOR } from "../../lib/api.ts";
import { readList } from "../../lib/read-query.ts";
import { SCHEDULES, schedulesQuery } from "../api-queries.ts";

const TICKS_LIMIT = 20;

/** The schedules of a journey, newest first. */
export function useSchedules(journeyId: string) {
  return useQuery(readList(schedulesQuery(journeyId), { field: "schedules", item: JourneySchedule }));
}

/** The outcomes of a schedule's times, newest first: 20, and 20 older ones for each `fetchNextPage`. */
export function useTicks({ id, journeyId }: Pick<JourneySchedule, "id" | "journeyId">) {
  return useInfiniteQuery({
    queryKey: [...schedulesQuery(journeyId).queryKey, id, "ticks"],
    queryFn: ({ signal, pageParam: cursor }) =>
      callApi(
        addresses.listJourneyScheduleTicks,
        { params: { scheduleId: id }, query: { limit: TICKS_LIMIT, cursor } },
        { signal, read: JourneyScheduleTickPage },
      ),
    initialPageParam: NO_CURSOR,
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
        client.invalidateQueries({ queryKey: schedulesQuery(journeyId).queryKey }),
        client.invalidateQueries({ queryKey: SCHEDULES.queryKey }),
      ]),
  });
}

export function useCreateSchedule(journeyId: string) {
  return useScheduleChange(journeyId, (body: JourneyScheduleRequest) =>
    callApi(addresses.createJourneySchedule, { body }, { read: JourneySchedule }),
  );
}

export function useSetEnabled({ id, journeyId }: Pick<JourneySchedule, "id" | "journeyId">) {
  return useScheduleChange(journeyId, (enabled: boolean) =>
    callApi(
      enabled ? addresses.resumeJourneySchedule : addresses.pauseJourneySchedule,
      { params: { scheduleId: id } },
      { read: JourneySchedule },
    ),
  );
}

export function useRemoveSchedule({ id, journeyId }: Pick<JourneySchedule, "id" | "journeyId">) {
  return useScheduleChange(journeyId, () =>
    callApi(addresses.deleteJourneySchedule, { params: { scheduleId: id } }),
  );
}
