import { REPORT_FORMATS } from "@waymark/journeys/report/formats.ts";
import { JourneyResult } from "@waymark/journeys/result/result-model.ts";
import { z } from "zod";
import { DocumentPath } from "../journeys/schema.ts";
import { idempotencyKeyHeader } from "../operations/idempotency-key.ts";
import { optionalWholeNumber, wholeNumber } from "../lib/query-fields.ts";
import { IsoDateTime, OpenObject, Uuid } from "../lib/schema.ts";
import { waitSecondsField } from "../operations/wait-seconds.ts";
import { PageQuery } from "../operations/page-query.ts";
import { JOURNEY_RUN_LIMITS } from "./limits.ts";
import {
  CancelledJourneyRun,
  JourneyRunCi,
  JourneyRunDetail,
  JourneyRunPage,
  JourneyRunStatus,
  JourneyRunStep,
  JourneyRunSteps,
  RerunJourneyRequest,
  StartJourneyRunRequest,
  StartedJourneyRun,
  UploadedJourneyRun,
} from "./schema.ts";
import { JourneyStatistics } from "./statistics/schema.ts";
import { operation } from "../operations/operation.ts";
import * as addresses from "./addresses.ts";

/** Inputs are values of forms, not files. */
const RUN_BYTES_MAX = 256 * 1024;

const RunParams = z.object({ runId: Uuid });

const ListQuery = PageQuery.extend({
  journeyId: Uuid.optional(),
  environmentId: Uuid.optional(),
  status: JourneyRunStatus.optional(),
  origin: z.enum(["cloud", "uploaded"]).optional(),
  since: IsoDateTime.optional().meta({ description: "Created at this time or later." }),
});

const ReportParams = RunParams.extend({ format: z.enum(REPORT_FORMATS) });

// Not checked and not read: it is sent as it was stored.
const Result = z.unknown().meta({
  id: "JourneyResult",
  type: "object",
  description: "The one document of a run, as `waymark journey run --report json=…` writes it.",
});

const StartHeaders = z.object({
  "idempotency-key": idempotencyKeyHeader(
    "Makes retries safe: the same request of the same key starts one run.",
  ),
});

const SEQ_MAX = 1_000_000;

const StepsQuery = z.strictObject({
  after: optionalWholeNumber({ min: -1, max: SEQ_MAX, default: -1 }).meta({
    description: "The last `seq` that the caller has.",
  }),
  waitSeconds: waitSecondsField("How long to wait for the next step or the end of the run."),
});

const StepParams = RunParams.extend({ seq: wholeNumber({ min: 0, max: SEQ_MAX }) });

const UploadRequest = z
  .strictObject({
    // Inputs as those of a run that is started here: they are stored and shown in the same way.
    result: JourneyResult.extend({ runId: Uuid, inputs: OpenObject }).meta({
      id: "UploadedJourneyResult",
      description: "As `waymark journey run --report json=…` writes it.",
    }),
    ci: JourneyRunCi.optional(),
    path: DocumentPath.optional().meta({
      description:
        "The path of the journey's document: if the server has not built its artifact yet, it builds it for the environment that the result names.",
    }),
  })
  .meta({ id: "UploadJourneyResultRequest" });

const ArtifactParams = z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/) });

export const listJourneyRuns = operation({
  id: "listJourneyRuns",
  ...addresses.listJourneyRuns,
  summary: "List runs of journeys",
  description:
    "Newest first. A key whose scope is limited to a journey or an environment must name it in the query.",
  tag: "journey runs",
  access: { needs: ["journeys:read"] },
  query: ListQuery,
  responses: { 200: JourneyRunPage },
});

export const getJourneyStatistics = operation({
  id: "getJourneyStatistics",
  ...addresses.getJourneyStatistics,
  summary: "Read how the last runs of a journey went",
  description:
    "Which of them passed and how long they took, and for each step how often it passed and was flaky. A key whose scope is limited to an environment must name it in the query.",
  tag: "journey runs",
  access: { needs: ["journeys:read"], within: ["workflow"] },
  query: z.strictObject({
    journeyId: Uuid,
    environmentId: Uuid.optional().meta({ description: "Only runs in this environment count." }),
  }),
  responses: { 200: JourneyStatistics },
});

export const getJourneyRun = operation({
  id: "getJourneyRun",
  ...addresses.getJourneyRun,
  summary: "Read a run of a journey",
  tag: "journey runs",
  access: { needs: ["journeys:read"], within: ["environment", "workflow"] },
  params: RunParams,
  revalidates: true,
  responses: { 200: JourneyRunDetail },
});

export const getJourneyRunResult = operation({
  id: "getJourneyRunResult",
  ...addresses.getJourneyRunResult,
  summary: "Read the result of a run",
  description:
    "Before the run has ended, the response is 409 with Retry-After. `GET …/steps` with `waitSeconds` waits for the end.",
  tag: "journey runs",
  access: { needs: ["journeys:read"], within: ["environment", "workflow"] },
  params: RunParams,
  revalidates: true,
  responses: { 200: Result },
  errors: [409],
});

export const getJourneyRunReport = operation({
  id: "getJourneyRunReport",
  ...addresses.getJourneyRunReport,
  summary: "Read a report of a run",
  description: "Made from the result, as the command makes it. HTML is to be saved.",
  tag: "journey runs",
  access: { needs: ["journeys:read"], within: ["environment", "workflow"] },
  params: ReportParams,
  revalidates: true,
  responses: { 200: z.unknown().meta({ type: "string" }) },
  errors: [409, 503],
});

export const startJourneyRun = operation({
  id: "startJourneyRun",
  ...addresses.startJourneyRun,
  summary: "Run a journey on the server",
  description: "Builds it for the environment and stores the run, which a worker carries out.",
  tag: "journey runs",
  access: { needs: ["journeys:run"], within: ["environment", "workflow"] },
  headers: StartHeaders,
  body: StartJourneyRunRequest,
  bodyBytesMax: RUN_BYTES_MAX,
  responses: { 202: StartedJourneyRun },
  errors: [404, 409, 422, 503],
});

export const rerunJourney = operation({
  id: "rerunJourney",
  ...addresses.rerunJourney,
  summary: "Run a journey again",
  description: "A new run of the same version with the same inputs. The old one stays as it is.",
  tag: "journey runs",
  access: { needs: ["journeys:run"], within: ["environment", "workflow"] },
  params: RunParams,
  body: RerunJourneyRequest,
  bodyBytesMax: RUN_BYTES_MAX,
  responses: { 202: StartedJourneyRun },
  errors: [409, 422, 503],
});

export const cancelJourneyRun = operation({
  id: "cancelJourneyRun",
  ...addresses.cancelJourneyRun,
  summary: "Cancel a run",
  description: "Its teardown still runs. A run that has ended stays as it is.",
  tag: "journey runs",
  access: { needs: ["journeys:run"], within: ["environment", "workflow"] },
  params: RunParams,
  responses: { 202: CancelledJourneyRun },
});

export const listJourneyRunSteps = operation({
  id: "listJourneyRunSteps",
  ...addresses.listJourneyRunSteps,
  summary: "Follow the steps of a run",
  description:
    "Those that have ended after `after`, without their evidence. Can wait for the next one; `GET /api/limits` says how many requests may wait.",
  tag: "journey runs",
  access: { needs: ["journeys:read"], within: ["environment", "workflow"] },
  params: RunParams,
  query: StepsQuery,
  revalidates: true,
  responses: { 200: JourneyRunSteps },
});

export const getJourneyRunStep = operation({
  id: "getJourneyRunStep",
  ...addresses.getJourneyRunStep,
  summary: "Read a step of a run with its evidence",
  tag: "journey runs",
  access: { needs: ["journeys:read"], within: ["environment", "workflow"] },
  params: StepParams,
  revalidates: true,
  responses: { 200: JourneyRunStep },
});

export const uploadJourneyResult = operation({
  id: "uploadJourneyResult",
  ...addresses.uploadJourneyResult,
  summary: "Upload the result of a run",
  description:
    "Of a run elsewhere, such as in a pipeline. It is stored as a claim of its uploader, if it does not contradict an artifact that this server built. The same result is stored once: then the response is 200.",
  tag: "journey runs",
  access: { needs: ["journey-results:create"], within: ["environment", "workflow"] },
  body: UploadRequest,
  bodyBytesMax: JOURNEY_RUN_LIMITS.uploadBytesMax,
  responses: { 200: UploadedJourneyRun, 201: UploadedJourneyRun },
  errors: [404, 409, 413, 422, 503],
});

export const getJourneyArtifact = operation({
  id: "getJourneyArtifact",
  ...addresses.getJourneyArtifact,
  summary: "Read an artifact",
  description:
    "The file that a run executes, byte for byte, under the SHA-256 of its bytes. It never changes.",
  tag: "journey runs",
  access: { needs: ["journeys:read"], within: ["environment", "workflow"] },
  params: ArtifactParams,
  responses: { 200: z.string().meta({ description: "JSON, as `waymark journey build` writes it." }) },
});
