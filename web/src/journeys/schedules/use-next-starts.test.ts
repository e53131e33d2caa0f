import type { JourneySchedule } from "@waymark/shared/journey-schedules/schema.ts";
import { expect, test } from "vitest";
import { nextStarts } from "./use-next-starts.ts";

const schedule = (journeyId: string, ...nextTimes: string[]) => ({ journeyId, nextTimes }) as JourneySchedule;

test("a journey starts at the earliest time of its schedules, and those that are paused have none", () => {
  const starts = nextStarts([
    schedule("a", "2026-01-02T00:00:00.000Z", "2026-01-03T00:00:00.000Z"),
    schedule("a", "2026-01-01T23:00:00.000Z"),
    schedule("a"),
    schedule("b"),
  ]);
  expect([...starts]).toEqual([["a", "2026-01-01T23:00:00.000Z"]]);
});
