import { setTimeout as sleep } from "node:timers/promises";
import { renderReport } from "@waymark/journeys/report/report.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { withOrganization } from "@waymark/shared/db/organization.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import {
  findJourneyRunStep,
  listJourneyRunSteps,
  readJourneyResult,
} from "@waymark/shared/journey-runs/queries.ts";
import { JourneyRunStep, JourneyRunSteps } from "@waymark/shared/journey-runs/schema.ts";
import { optionalWholeNumber, wholeNumber } from "@waymark/shared/lib/query-fields.ts";
import { OpenObject } from "@waymark/shared/lib/schema.ts";
import { z } from "zod";
import { actorOf } from "../lib/authenticate.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import {
  findAuthorizedRun,
  type JourneyRunRouteDependencies,
  RUN_ERRORS,
  RunParams,
} from "./route-definitions.ts";

const WAIT_SECONDS_MAX = 20;
const LOOK_EVERY_MS = 250;
/** Steps in one response: a run has 1,000 and those of its teardown. */
const STEPS_MAX = 200;

const SEQ_MAX = 1_000_000;
const StepsQuery = z.strictObject({
  after: optionalWholeNumber({ min: -1, max: SEQ_MAX, default: -1 }).meta({
    description: "The last `seq` that the caller has.",
  }),
  waitSeconds: optionalWholeNumber({ min: 0, max: WAIT_SECONDS_MAX, default: 0 }).meta({
    description: "How long to wait for the next step or the end of the run.",
  }),
});

const StepParams = RunParams.extend({ seq: wholeNumber({ min: 0, max: SEQ_MAX }) });
const ReportParams = RunParams.extend({ format: z.enum(["json", "junit", "html", "har", "ctrf"]) });

const Result = OpenObject.meta({
  id: "JourneyResult",
  description: "The one document of a run, as `waymark journey run --report json=…` writes it.",
});

const MEDIA_TYPES = {
  json: "application/json; charset=utf-8",
  junit: "application/xml; charset=utf-8",
  // Foreign text: it is saved, and never shown as a page of this server.
  html: "application/octet-stream",
  har: "application/json; charset=utf-8",
  ctrf: "application/json; charset=utf-8",
} as const;

export function registerRunResultRoutes(
  app: ZodApp,
  { db, authenticate }: Pick<JourneyRunRouteDependencies, "db" | "authenticate">,
): void {
  app.get(
    "/api/journey-runs/:runId/steps",
    {
      schema: {
        operationId: "listJourneyRunSteps",
        summary: "Follow the steps of a run",
        description:
          "Those that have ended after `after`, without their evidence. Can wait for the next one.",
        tags: ["journey runs"],
        params: RunParams,
        querystring: StepsQuery,
        response: { 200: JourneyRunSteps, ...RUN_ERRORS },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      const { runId } = request.params;
      const { after, waitSeconds } = request.query;
      const end = performance.now() + waitSeconds * 1_000;
      for (;;) {
        const found = await readSteps(actor, { runId, after });
        if (found.steps.length > 0 || found.isFinal || performance.now() >= end) return found;
        await sleep(LOOK_EVERY_MS);
      }
    },
  );

  app.get(
    "/api/journey-runs/:runId/steps/:seq",
    {
      schema: {
        operationId: "getJourneyRunStep",
        summary: "Read a step of a run with its evidence",
        tags: ["journey runs"],
        params: StepParams,
        response: { 200: JourneyRunStep, ...RUN_ERRORS },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      const { organizationId } = actor;
      const { runId, seq: wanted } = request.params;
      const text = await withOrganization(db, organizationId, async (tx) => {
        await findAuthorizedRun(tx, actor, { runId, permission: "journeys:read" });
        return findJourneyRunStep(tx, { organizationId, runId, seq: wanted });
      });
      if (text === null) throw new AppError("not_found", `The run has no step ${wanted}.`);
      return { seq: wanted, result: objectOf(text) };
    },
  );

  app.get(
    "/api/journey-runs/:runId/result",
    {
      schema: {
        operationId: "getJourneyRunResult",
        summary: "Read the result of a run",
        description: "There is none before the run has ended.",
        tags: ["journey runs"],
        params: RunParams,
        response: { 200: Result, ...RUN_ERRORS },
      },
      onRequest: authenticate,
    },
    async (request) => objectOf(await readResult(actorOf(request), request.params.runId)),
  );

  app.get(
    "/api/journey-runs/:runId/reports/:format",
    {
      schema: {
        operationId: "getJourneyRunReport",
        summary: "Read a report of a run",
        description: "Made from the result, as the command makes it. HTML is to be saved.",
        tags: ["journey runs"],
        params: ReportParams,
        response: { 200: z.string(), ...RUN_ERRORS },
      },
      onRequest: authenticate,
    },
    async (request, reply) => {
      const { runId, format } = request.params;
      const result: JourneyResult = JSON.parse(await readResult(actorOf(request), runId));
      const name = `attachment; filename="${runId}.${format === "html" ? "html" : `${format}.txt`}"`;
      return reply
        .type(MEDIA_TYPES[format])
        .header("content-disposition", name)
        .send(renderReport(format, [result]));
    },
  );

  async function readSteps(
    actor: Actor,
    { runId, after }: { runId: string; after: number },
  ): Promise<JourneyRunSteps> {
    const { organizationId } = actor;
    return withOrganization(db, organizationId, async (tx) => {
      // The run first: a step that is written after it is in the next response.
      const { run } = await findAuthorizedRun(tx, actor, { runId, permission: "journeys:read" });
      const rows = await listJourneyRunSteps(tx, {
        organizationId,
        runId,
        from: after + 1,
        limit: STEPS_MAX,
      });
      return {
        steps: rows.map((row) => ({ seq: row.seq, result: objectOf(row.result) })),
        status: run.status,
        currentStep: run.currentStep,
        isFinal: run.endedAt !== null && rows.length < STEPS_MAX,
      };
    });
  }

  async function readResult(actor: Actor, runId: string): Promise<string> {
    const { organizationId } = actor;
    return withOrganization(db, organizationId, async (tx) => {
      const { run, resultHash } = await findAuthorizedRun(tx, actor, { runId, permission: "journeys:read" });
      const text = await readJourneyResult(tx, { organizationId, runId, resultHash });
      if (text !== null) return text;
      throw new AppError(
        "not_found",
        run.endedAt === null
          ? `The run is ${run.status}: it has no result yet.`
          : "The result of this run was deleted for its age.",
      );
    });
  }
}

function objectOf(text: string): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
}
