import { z } from "zod";
import { IsoDateTime, text, Uuid } from "../../lib/schema.ts";
import { SNOOZE_LIMITS } from "./limits.ts";

/** The lists of the overview whose items can be snoozed. */
export const SnoozableKind = z
  .enum([
    "breaking",
    "removed",
    "gates",
    "held",
    "failed",
    "severe",
    "overdueServices",
    "newServices",
    "failingJourneys",
    "recoveredJourneys",
    "troubledSchedules",
    "expiringKeys",
    "refusedKeys",
  ])
  .meta({
    id: "SnoozableKind",
    description: "A kind of concern, or the name of another list of the overview.",
  });
export type SnoozableKind = z.infer<typeof SnoozableKind>;

/** An item of the overview, and what has happened to it. */
export const ItemEvent = z.object({
  kind: SnoozableKind,
  subjectId: Uuid.meta({
    description:
      "The id of its service; of the run of a journey; of its schedule, or of its key, for lists of these.",
  }),
  event: text({ max: SNOOZE_LIMITS.eventMax }).meta({
    description: "What has happened. The item is snoozed while nothing else happens to it.",
    maxLength: SNOOZE_LIMITS.eventMax,
  }),
  level: z.int().min(0).max(2_000_000_000).meta({
    description: "How bad it is. The item is snoozed while it is not worse.",
  }),
});
export type ItemEvent = z.infer<typeof ItemEvent>;

export const SnoozeRequest = z
  .strictObject({
    event: ItemEvent.shape.event,
    level: ItemEvent.shape.level,
    until: IsoDateTime.meta({
      description: `When it is listed again: a time in the next ${SNOOZE_LIMITS.daysMax} days.`,
    }),
  })
  .meta({ id: "SnoozeRequest" });
export type SnoozeRequest = z.infer<typeof SnoozeRequest>;

/** An item that a person has snoozed. */
export const Snooze = z
  .object({
    kind: SnoozableKind,
    subjectId: Uuid,
    until: IsoDateTime.meta({ description: "When it is listed again, if nothing new happens before." }),
  })
  .meta({ id: "Snooze" });
export type Snooze = z.infer<typeof Snooze>;
