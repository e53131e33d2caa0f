import { insertAuditEvent } from "@waymark/shared/audit/queries.ts";
import { withOrganization } from "@waymark/shared/db/organization.ts";
import { findEnvironment } from "@waymark/shared/environments/queries.ts";
import { deleteRelease, upsertRelease } from "@waymark/shared/environments/releases/queries.ts";
import { JourneyRelease, ReleaseJourneyRequest } from "@waymark/shared/environments/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { Uuid } from "@waymark/shared/lib/schema.ts";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import {
  authorizedEnvironment,
  CHANGE_ERRORS,
  EnvironmentParams,
  type EnvironmentRouteDependencies,
} from "./route-definitions.ts";

const ReleaseParams = EnvironmentParams.extend({ journeyId: Uuid });

export function registerReleaseRoutes(app: ZodApp, { db, authenticate }: EnvironmentRouteDependencies): void {
  app.put(
    "/api/environments/:environmentId/releases/:journeyId",
    {
      schema: {
        operationId: "releaseJourney",
        summary: "Release a journey's version for an environment",
        description: "A protected environment runs this version and no other.",
        tags: ["environments"],
        params: ReleaseParams,
        body: ReleaseJourneyRequest,
        response: { 200: JourneyRelease, ...CHANGE_ERRORS },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      const { organizationId, apiKeyId: keyId } = actor;
      const { version } = request.body;
      const { journeyId } = request.params;
      const environmentRef = { organizationId, environmentId: request.params.environmentId };
      return withOrganization(db, organizationId, async (tx) => {
        const found = await findEnvironment(tx, environmentRef);
        const { id } = authorizedEnvironment(actor, "environments:write", found, journeyId);
        const release = await upsertRelease(tx, { ...environmentRef, journeyId, version, keyId });
        if (release === null) {
          throw new AppError("not_found", "There is no journey with this id that has this version.");
        }
        await insertAuditEvent(tx, {
          ...auditOriginOf(request),
          id: uuidv7(),
          organizationId,
          apiKeyId: null,
          action: "journey.released",
          details: { environmentId: id, journeyId: release.journeyId, version },
        });
        return release;
      });
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
      const { organizationId } = actor;
      const { journeyId } = request.params;
      const environmentRef = { organizationId, environmentId: request.params.environmentId };
      await withOrganization(db, organizationId, async (tx) => {
        const found = await findEnvironment(tx, environmentRef);
        const { id } = authorizedEnvironment(actor, "environments:write", found, journeyId);
        if (!(await deleteRelease(tx, { ...environmentRef, journeyId }))) {
          throw new AppError("not_found", "No version of this journey is released for this environment.");
        }
        await insertAuditEvent(tx, {
          ...auditOriginOf(request),
          id: uuidv7(),
          organizationId,
          apiKeyId: null,
          action: "journey.release_deleted",
          details: { environmentId: id, journeyId: journeyId.toLowerCase() },
        });
      });
      return reply.code(204).send(null);
    },
  );
}
