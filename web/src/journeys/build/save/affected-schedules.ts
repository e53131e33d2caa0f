import type { JourneySchedule } from "@waymark/shared/journey-schedules/schema.ts";
import type { JourneyChangesetResult } from "@waymark/shared/journeys/schema.ts";

type Changed = Pick<JourneyChangesetResult, "documents" | "affected">;

export interface AffectedSchedule {
  schedule: JourneySchedule;
  /** True if the schedule's journey can't run any more. */
  isBroken: boolean;
}

/** The schedules that a change concerns: they run the newest version of a document that changes or becomes another program. */
export function affectedSchedules(
  schedules: readonly JourneySchedule[],
  { documents, affected }: Changed,
): AffectedSchedule[] {
  const programs = new Map<string, string | null>([
    ...affected
      .filter(({ before, after }) => before.programId !== after.programId)
      .map(({ id, after }) => [id, after.programId] as const),
    ...documents.filter(({ unchanged }) => !unchanged).map(({ id, programId }) => [id, programId] as const),
  ]);
  return schedules.flatMap((schedule) => {
    const program = programs.get(schedule.journeyId);
    if (program === undefined || schedule.version !== null || !schedule.enabled) return [];
    return [{ schedule, isBroken: program === null }];
  });
}
