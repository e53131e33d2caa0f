import { z } from "zod";
import { IsoDateTime, Uuid } from "../../lib/schema.ts";

/** The most runs that the statistics of a journey count: the last ones that have ended. */
export const STATISTICS_RUNS_MAX = 100;

const CountedRun = z.object({
  runId: Uuid,
  status: z.enum(["passed", "failed", "error"]),
  endedAt: IsoDateTime,
  ms: z
    .number()
    .nullable()
    .meta({ description: "From its start to its end. Null for a run that never started." }),
});

const CountedStep = z.object({
  workflow: z
    .string()
    .nullable()
    .meta({ description: "The workflow of the step, if it is not the first one." }),
  stepId: z.string(),
  runCount: z.int().meta({
    description: "Runs that came to the step, as far as retention has left their steps.",
  }),
  passedCount: z.int(),
  flakyCount: z.int().meta({
    description:
      "How often the step failed or timed out in a run and passed in the next one of the same program, environment revision, inputs and " +
      "handling of contracts. As for `flakyWith` of a run, only runs that passed or failed count.",
  }),
  medianMs: z.number(),
});

export const JourneyStatistics = z
  .object({
    runs: z.array(CountedRun).meta({
      description: `The last ${STATISTICS_RUNS_MAX} ended runs without aborted ones, newest first.`,
    }),
    steps: z.array(CountedStep).meta({ description: "The steps of these runs, in the order of the runs." }),
  })
  .meta({ id: "JourneyStatistics" });
export type JourneyStatistics = z.infer<typeof JourneyStatistics>;
