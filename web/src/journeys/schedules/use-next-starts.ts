import { JourneySchedule } from "@waymark/shared/journey-schedules/schema.ts";
import { useQuery } from "@tanstack/react-query";
import { readList } from "../../lib/read-query.ts";
import { SCHEDULES } from "../api-queries.ts";

const READ_AGAIN_MS = 60_000;

/** The next times at which schedules start journeys, by the journey's id. */
export function useNextStarts() {
  return useQuery({
    ...readList(SCHEDULES, { field: "schedules", item: JourneySchedule }),
    refetchInterval: READ_AGAIN_MS,
    select: nextStarts,
  });
}

/** The earliest time of each journey's schedules. Paused ones have none. */
export function nextStarts(schedules: readonly JourneySchedule[]): ReadonlyMap<string, string> {
  const starts = new Map<string, string>();
  for (const { journeyId, nextTimes } of schedules) {
    const [next] = nextTimes;
    const known = starts.get(journeyId);
    if (next !== undefined && (known === undefined || Date.parse(next) < Date.parse(known)))
      starts.set(journeyId, next);
  }
  return starts;
}
