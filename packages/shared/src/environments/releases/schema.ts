import { z } from "zod";
import { Uuid } from "../../lib/schema.ts";
import { JourneyRelease } from "../schema.ts";

/** A request of a step as a release shows it. */
const ReleasedRequest = z
  .object({
    method: z.string(),
    host: z.string().nullable().meta({ description: "Null where a value of the run decides it." }),
    path: z.string(),
  })
  .meta({ id: "ReleasedRequest" });

const StepChange = z
  .object({
    change: z.enum(["added", "removed", "changed"]),
    workflow: z.string(),
    step: z.string(),
    before: ReleasedRequest.nullable(),
    after: ReleasedRequest.nullable().meta({
      description: "Null for a step that is removed, and for one that runs a workflow.",
    }),
    parts: z.array(z.string()).meta({
      description: "What differs in a changed step, such as `method`, `host`, `parameters` or `checks`.",
    }),
  })
  .meta({ id: "ReleasedStepChange" });

/** The differences between a journey's release and what would be released. */
export const JourneyReleasePreview = z
  .object({
    journeyId: Uuid,
    version: z.int().min(1),
    artifact: z.string().nullable().meta({
      description: "SHA-256 of what would be released, in hexadecimal. Null if the version does not compile.",
    }),
    programId: z.string().nullable(),
    problems: z.array(z.object({ path: z.string(), message: z.string() })),
    release: JourneyRelease.nullable().meta({ description: "What runs now; null for none." }),
    documents: z
      .array(z.object({ path: z.string(), released: z.int().nullable(), next: z.int().nullable() }))
      .meta({
        description:
          "Documents that differ, with their versions. Null: it was not read, or is not read any more.",
      }),
    servers: z
      .array(z.string())
      .meta({ description: "Sources for which the environment has another server." }),
    steps: z.array(StepChange),
    workflows: z.array(z.object({ workflow: z.string(), parts: z.array(z.string()) })).meta({
      description: "What differs in a workflow besides its steps, such as `inputs`, `secrets` or `teardown`.",
    }),
  })
  .meta({ id: "JourneyReleasePreview" });
export type JourneyReleasePreview = z.infer<typeof JourneyReleasePreview>;
