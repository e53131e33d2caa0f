import { JourneyReleasePreview } from "@waymark/shared/environments/releases/schema.ts";
import { JourneyRelease, ReleaseJourneyRequest } from "@waymark/shared/environments/schema.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { wholeNumber } from "@waymark/shared/lib/query-fields.ts";
import { Uuid } from "@waymark/shared/lib/schema.ts";
import { z } from "zod";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { describeOne, previewRelease } from "./describe-release.ts";
import { buildCandidate, releaseJourneyAs, takeReleaseBackAs } from "./release-journey.ts";
import {
  CHANGE_ERRORS,
  ENVIRONMENT_ERRORS,
  EnvironmentParams,
  type EnvironmentRouteDependencies,
} from "./route-definitions.ts";

const ReleaseParams = EnvironmentParams.extend({ journeyId: Uuid });

const PreviewQuery = z.strictObject({
  version: wholeNumber({ min: 1, max: 2 ** 31 - 1 })
    .optional()
    .meta({ description: "Of the journey. Default: the newest." }),
});

export function registerReleaseRoutes(
  app: ZodApp,
  { db, authenticate, compiler }: EnvironmentRouteDependencies,
): void {
  app.get(
    "/api/environments/:environmentId/releases/:journeyId",
    {
      schema: {
        operationId: "previewJourneyRelease",
        summary: "Compare a journey's release with what would be released",
        description:
          "Builds a version of the journey for the environment, and compares it with what the environment runs now, step by step. Releases nothing.",
        tags: ["environments"],
        params: ReleaseParams,
        querystring: PreviewQuery,
        response: {
          200: JourneyReleasePreview,
          ...ENVIRONMENT_ERRORS,
          404: ErrorResponse,
          503: ErrorResponse,
        },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      const candidate = await buildCandidate({ db, compiler }, actor, {
        ...request.params,
        ...request.query,
        permission: "environments:read",
      });
      return previewRelease(db, actor.organizationId, candidate);
    },
  );

  app.put(
    "/api/environments/:environmentId/releases/:journeyId",
    {
      schema: {
        operationId: "releaseJourney",
        summary: "Release a journey's version for an environment",
        description:
          "Builds the version and keeps the artifact: a protected environment runs it and no other. When a document or a server that it was built from changes, it does not run until it is released again.",
        tags: ["environments"],
        params: ReleaseParams,
        body: ReleaseJourneyRequest,
        response: { 200: JourneyRelease, ...CHANGE_ERRORS, 422: ErrorResponse, 503: ErrorResponse },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const { release, documents, environment } = await releaseJourneyAs(
        { db, compiler },
        {
          actor: actorOf(request),
          origin: auditOriginOf(request),
          ...request.params,
          ...request.body,
        },
      );
      return describeOne(release, documents, environment);
    },
  );

  app.delete(
    "/api/environments/:environmentId/releases/:journeyId",
    {
      schema: {
        operationId: "deleteJourneyRelease",
        summary: "Take a journey's release back",
        description: "A protected environment no longer runs this journey.",
        tags: ["environments"],
        params: ReleaseParams,
        response: { 204: z.null(), ...CHANGE_ERRORS },
      },
      onRequest: authenticate,
    },
    async (request, reply) => {
      const actor = actorOf(request);
      await takeReleaseBackAs(db, { actor, origin: auditOriginOf(request), ...request.params });
      return reply.code(204).send(null);
    },
  );
}
