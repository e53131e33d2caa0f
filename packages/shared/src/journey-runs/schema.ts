import { z } from "zod";
import { KeyOwner } from "../api-keys/schema.ts";
import { carriesCredentials } from "../lib/carries-credentials.ts";
import {
  BuildUrl,
  IsoDateTime,
  label,
  NO_CREDENTIALS,
  OpenObject,
  StoredObject,
  text,
  Uuid,
} from "../lib/schema.ts";

const RUN_STATUSES = ["queued", "running", "passed", "failed", "error", "aborted"] as const;

export const JourneyRunStatus = z.enum(RUN_STATUSES).meta({
  id: "JourneyRunStatus",
  description:
    "`error`: it could not be carried out. `aborted`: it was cancelled, or reached a limit. The last four are final.",
});

const Version = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);

export const StartJourneyRunRequest = z
  .strictObject({
    journeyId: Uuid.optional().meta({ description: "The journey or overlay. Either this or `path`." }),
    path: label({ min: 1, max: 500 }).optional().meta({ description: "Its path." }),
    version: Version.optional().meta({
      description: "Default: the newest; in a protected environment the released one.",
    }),
    environmentId: Uuid,
    inputs: OpenObject.optional().meta({
      description: "Values of inputs by name, besides those of the environment. Never of a secret input.",
    }),
    seed: label({ min: 1, max: 200 })
      .optional()
      .meta({ description: "Repeats the generated values of a run that had this seed." }),
    strictContract: z.boolean().optional().meta({
      description: "A response that contradicts its description fails the run.",
    }),
    expectProgram: text({ max: 100 }).optional().meta({
      description: "The program id that the caller has: another one is refused.",
    }),
  })
  .refine(
    ({ journeyId, path }) => (journeyId === undefined) !== (path === undefined),
    "must have either journeyId or path",
  )
  .meta({ id: "StartJourneyRunRequest" });
export type StartJourneyRunRequest = z.infer<typeof StartJourneyRunRequest>;

export const RerunJourneyRequest = z
  .strictObject({
    sameSeed: z.boolean().optional().meta({ description: "Repeats the generated values." }),
  })
  .nullish();

const runStart = {
  runId: Uuid,
  status: JourneyRunStatus,
  artifact: z.string().meta({ description: "SHA-256 of the artifact that runs, in hexadecimal." }),
  programId: z.string(),
  resultUrl: z.url(),
};

export const StartedJourneyRun = z.object(runStart).meta({ id: "StartedJourneyRun" });
export type StartedJourneyRun = z.infer<typeof StartedJourneyRun>;

const ciText = label({ min: 1, max: 500 }).exactOptional();

export const JourneyRunCi = z
  .strictObject({
    system: ciText.meta({ description: "Such as `GitHub Actions`." }),
    url: BuildUrl.exactOptional(),
    repository: label({ min: 1, max: 500 })
      .refine((value) => !carriesCredentials(value), NO_CREDENTIALS)
      .exactOptional(),
    commit: ciText,
    branch: ciText,
  })
  .meta({ id: "JourneyRunCi", description: "Where an uploaded result comes from, as its uploader says." });
export type JourneyRunCi = z.infer<typeof JourneyRunCi>;

export const UploadedJourneyRun = z.object(runStart).meta({ id: "UploadedJourneyRun" });

export const JourneyRun = z
  .object({
    id: Uuid,
    journeyId: Uuid,
    journeyPath: z.string(),
    journeyTitle: z.string().nullable().meta({ description: "Its title in the newest version." }),
    version: Version,
    environmentId: Uuid,
    environmentName: z.string(),
    environmentRevision: z.int(),
    artifact: z.string(),
    programId: z.string(),
    origin: z.enum(["cloud", "uploaded"]).meta({
      description: "`uploaded`: a claim of who uploaded the result.",
    }),
    trigger: z.enum(["manual", "cli", "api", "schedule", "rerun"]),
    rerunOf: Uuid.nullable(),
    status: JourneyRunStatus,
    phase: z.enum(["main", "recovery"]).meta({
      description: "`recovery`: its worker was lost, and only the teardown runs.",
    }),
    seed: z.string(),
    strictContract: z.boolean(),
    currentStep: z.string().nullable(),
    stepCount: z.int(),
    passedStepCount: z.int(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    inDoubtStep: z.string().nullable().meta({
      description: "The step that may have taken effect at the target when the worker was lost.",
    }),
    outcomeDigest: z.string().nullable().meta({
      description:
        "Over all statuses and no value: two runs of one program that differ in it went differently.",
    }),
    kept: z.enum(["evidence", "result", "run"]).meta({
      description:
        "What retention has left: all, all but the requests and responses of its steps, or neither steps nor a result.",
    }),
    ci: JourneyRunCi.nullable(),
    createdByKeyId: Uuid,
    creator: KeyOwner,
    createdAt: IsoDateTime,
    startedAt: IsoDateTime.nullable(),
    endedAt: IsoDateTime.nullable(),
  })
  .meta({ id: "JourneyRun" });
export type JourneyRun = z.infer<typeof JourneyRun>;

export const JourneyRunDetail = JourneyRun.extend({
  inputs: StoredObject.meta({ description: "Without secrets. Of an uploaded run as its result shows them." }),
  flakyWith: Uuid.nullable().meta({
    description:
      "The run of the same program, environment revision, inputs and handling of contracts that failed directly before this one " +
      "passed, or that passed directly after this one failed. Only runs that passed or failed count. Among the 50 runs of the " +
      "journey before or after this one.",
  }),
}).meta({ id: "JourneyRunDetail" });
export type JourneyRunDetail = z.infer<typeof JourneyRunDetail>;

export const JourneyRunPage = z
  .object({ runs: z.array(JourneyRun), nextCursor: z.string().optional() })
  .meta({ id: "JourneyRunPage" });

/** A step's result as the engine makes it, redacted. Its form is that of `steps` in the result. */
const StepResult = StoredObject.meta({ id: "JourneyStepResult" });

export const JourneyRunSteps = z
  .object({
    steps: z.array(z.object({ seq: z.int(), result: StepResult })),
    status: JourneyRunStatus,
    currentStep: z.string().nullable(),
    isFinal: z.boolean(),
  })
  .meta({ id: "JourneyRunSteps" });
export type JourneyRunSteps = z.infer<typeof JourneyRunSteps>;

export const JourneyRunStep = z.object({ seq: z.int(), result: StepResult }).meta({ id: "JourneyRunStep" });

export const CancelledJourneyRun = z
  .object({ runId: Uuid, status: JourneyRunStatus })
  .meta({ id: "CancelledJourneyRun" });
