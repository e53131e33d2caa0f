import type { JourneySchedule } from "@waymark/shared/journey-schedules/schema.ts";
import { expect, it } from "vitest";
import { affectedSchedules } from "./affected-schedules.ts";

const schedule = (name: string, journeyId: string, more: Partial<JourneySchedule> = {}): JourneySchedule => ({
  id: name,
  name,
  journeyId,
  journeyPath: journeyId,
  version: null,
  environmentId: "test",
  environmentName: "test",
  cron: "0 2 * * *",
  timeZone: "UTC",
  overlap: "skip",
  catchUp: "none",
  jitterSeconds: 0,
  enabled: true,
  pausedReason: null,
  failuresInRow: 0,
  nextTimes: [],
  lastTick: null,
  createdByKeyId: "key",
  updatedByKeyId: "key",
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  ...more,
});
const outcome = (programId: string | null) => ({ programId, errorCount: 0, warningCount: 0 });

it("names schedules of changed documents, and of those that become another program, which may be none", () => {
  const document = {
    id: "base",
    path: "base",
    kind: "journey" as const,
    version: 2,
    unchanged: false,
    archived: false,
    programMatches: null,
    problems: [],
    ...outcome("b"),
  };
  const affected = [
    { id: "broken", path: "broken", title: null, before: outcome("a"), after: outcome(null) },
    { id: "same", path: "same", title: null, before: outcome("a"), after: outcome("a") },
  ];
  const schedules = [
    schedule("of the base", "base"),
    schedule("of a fixed version", "base", { version: 1 }),
    schedule("paused", "base", { enabled: false }),
    schedule("of a broken variant", "broken"),
    schedule("of a variant that stays", "same"),
    schedule("of another journey", "other"),
  ];
  const found = affectedSchedules(schedules, { documents: [document], affected });
  expect(found.map(({ schedule: { name }, isBroken }) => [name, isBroken])).toEqual([
    ["of the base", false],
    ["of a broken variant", true],
  ]);
  const unchanged = { documents: [{ ...document, unchanged: true }], affected: [] };
  expect(affectedSchedules(schedules, unchanged)).toEqual([]);
});
