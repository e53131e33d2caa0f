import { withOrganization } from "@waymark/shared/db/organization.ts";
import { cancelJourneyRun } from "@waymark/shared/journey-runs/queries.ts";
import {
  CancelledJourneyRun,
  RerunJourneyRequest,
  StartedJourneyRun,
  StartJourneyRunRequest,
} from "@waymark/shared/journey-runs/schema.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { actorOf } from "../lib/authenticate.ts";
import { idempotencyKeyHeader } from "../lib/idempotency-key.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import {
  findAuthorizedRun,
  type JourneyRunRouteDependencies,
  RUN_ERRORS,
  RunParams,
  START_ERRORS,
} from "./route-definitions.ts";
import { type RunRequest, startRun } from "./start-run.ts";
import { triggerOf } from "./trigger.ts";

const StartHeaders = z.object({
  "idempotency-key": idempotencyKeyHeader(
    "Makes retries safe: the same request of the same key starts one run.",
  ),
});
/** Inputs are values of forms, not files. */
const config = { bodyBytesMax: 256 * 1024 };

export function registerStartRunRoutes(app: ZodApp, dependencies: JourneyRunRouteDependencies): void {
  const { db, authenticate, announce, baseUrlOf } = dependencies;

  async function start(request: FastifyRequest, run: RunRequest): Promise<StartedJourneyRun> {
    const actor = actorOf(request);
    const started = await startRun(dependencies, actor, run);
    announce({ organizationId: actor.organizationId, runId: started.runId });
    request.journeyRunId = started.runId;
    return {
      ...started,
      status: "queued",
      resultUrl: `${baseUrlOf(request)}/api/journey-runs/${started.runId}`,
    };
  }

  app.post(
    "/api/journey-runs",
    {
      schema: {
        operationId: "startJourneyRun",
        summary: "Run a journey in the service",
        description: "Builds it for the environment and stores the run, which a worker carries out.",
        tags: ["journey runs"],
        headers: StartHeaders,
        body: StartJourneyRunRequest,
        response: { 202: StartedJourneyRun, ...START_ERRORS },
      },
      config,
      onRequest: authenticate,
    },
    async (request, reply) =>
      reply.code(202).send(
        await start(request, {
          ...request.body,
          trigger: triggerOf(request),
          idempotencyKey: request.headers["idempotency-key"],
        }),
      ),
  );

  app.post(
    "/api/journey-runs/:runId/rerun",
    {
      schema: {
        operationId: "rerunJourney",
        summary: "Run a journey again",
        description: "A new run of the same version with the same inputs. The old one stays as it is.",
        tags: ["journey runs"],
        params: RunParams,
        body: RerunJourneyRequest,
        response: { 202: StartedJourneyRun, ...START_ERRORS },
      },
      config,
      onRequest: authenticate,
    },
    async (request, reply) => {
      const actor = actorOf(request);
      const { runId } = request.params;
      const { run, inputs } = await withOrganization(db, actor.organizationId, (tx) =>
        findAuthorizedRun(tx, actor, { runId, permission: "journeys:run" }),
      );
      const started = await start(request, {
        journeyId: run.journeyId,
        version: run.version,
        environmentId: run.environmentId,
        inputs,
        strictContract: run.strictContract,
        ...(request.body?.sameSeed === true ? { seed: run.seed } : {}),
        trigger: "rerun",
        rerunOf: runId,
      });
      return reply.code(202).send(started);
    },
  );

  app.post(
    "/api/journey-runs/:runId/cancel",
    {
      schema: {
        operationId: "cancelJourneyRun",
        summary: "Cancel a run",
        description: "Its teardown still runs. A run that has ended stays as it is.",
        tags: ["journey runs"],
        params: RunParams,
        response: { 202: CancelledJourneyRun, ...RUN_ERRORS },
      },
      onRequest: authenticate,
    },
    async (request, reply) => {
      const actor = actorOf(request);
      const { organizationId } = actor;
      const { runId } = request.params;
      const status = await withOrganization(db, organizationId, async (tx) => {
        await findAuthorizedRun(tx, actor, { runId, permission: "journeys:run" });
        return cancelJourneyRun(tx, { organizationId, runId });
      });
      announce({ organizationId, runId });
      return reply.code(202).send({ runId, status });
    },
  );
}
