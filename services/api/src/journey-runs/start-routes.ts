import { withOrganization } from "@waymark/server/db/organization.ts";
import { cancelJourneyRun } from "@waymark/server/journey-runs/queries.ts";
import { StartedJourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import type { FastifyRequest } from "fastify";
import * as operations from "@waymark/shared/journey-runs/operations.ts";
import { pathOf } from "@waymark/shared/operations/request.ts";
import { actorOf } from "../lib/authenticate.ts";
import { findAuthorizedRun, type JourneyRunRouteDependencies } from "./route-definitions.ts";
import { type RunRequest, startRun } from "./start-run.ts";
import { triggerOf } from "./trigger.ts";
import type { Serve } from "../lib/serve.ts";

export function registerStartRunRoutes(serve: Serve, dependencies: JourneyRunRouteDependencies): void {
  const { db, announce, baseUrlOf } = dependencies;

  async function start(request: FastifyRequest, run: RunRequest): Promise<StartedJourneyRun> {
    const actor = actorOf(request);
    const started = await startRun(dependencies, actor, run);
    announce({ organizationId: actor.organizationId, runId: started.runId });
    request.journeyRunId = started.runId;
    return {
      ...started,
      status: "queued",
      resultUrl: baseUrlOf(request) + pathOf(operations.getJourneyRun, started),
    };
  }

  serve(operations.startJourneyRun, async (request, reply) =>
    reply.code(202).send(
      await start(request, {
        ...request.body,
        trigger: triggerOf(request),
        idempotencyKey: request.headers["idempotency-key"],
      }),
    ),
  );

  serve(operations.rerunJourney, async (request, reply) => {
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
  });

  serve(operations.cancelJourneyRun, async (request, reply) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { runId } = request.params;
    const status = await withOrganization(db, organizationId, async (tx) => {
      await findAuthorizedRun(tx, actor, { runId, permission: "journeys:run" });
      return cancelJourneyRun(tx, { organizationId, runId });
    });
    announce({ organizationId, runId });
    return reply.code(202).send({ runId, status });
  });
}
