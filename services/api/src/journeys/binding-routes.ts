import { authorizeEach } from "@waymark/shared/api-keys/authorize.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { bindSource, unbindSource } from "@waymark/server/journeys/bindings.queries.ts";
import { findDocument } from "@waymark/server/journeys/queries.ts";
import { findServiceNames } from "@waymark/server/services/visible.queries.ts";
import * as operations from "@waymark/shared/journeys/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import { accessedService } from "../lib/visible-services.ts";
import { validationError } from "../lib/zod-routes.ts";
import { findAuthorizedDocument } from "./authorized-document.ts";
import type { JourneyRouteDependencies } from "./route-definitions.ts";
import type { Serve } from "../lib/serve.ts";

/** Binding a description by hand: to a service that was scanned from another file, or has another base path. */
export function registerJourneyBindingRoutes(
  serve: Serve,
  { db }: Pick<JourneyRouteDependencies, "db">,
): void {
  serve(operations.bindJourney, (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { journeyId: documentId } = request.params;
    const { serviceId, pathPrefix } = request.body;
    return withOrganization(db, organizationId, async (tx) => {
      const document = await findDocument(tx, { organizationId, documentId });
      const service = await findServiceNames(tx, { organizationId, serviceId });
      authorizeEach(actor, [
        { permission: "journeys:write", resource: document === null ? {} : { workflowId: document.id } },
        {
          permission: "services:read",
          resource: accessedService(service),
        },
      ]);
      if (document === null) throw new AppError("not_found", "There is no journey with this id.");
      if (document.kind !== "openapi") {
        throw validationError([
          { path: "journeyId", message: "is no description: only these have a service" },
        ]);
      }
      if (service === null) throw new AppError("not_found", "There is no service with this id.");
      await bindSource(tx, { organizationId, documentId, serviceId, pathPrefix, how: "manual" });
      return {
        serviceId,
        serviceName: service.name,
        pathPrefix,
        how: "manual" as const,
        newerScanRunId: null,
      };
    });
  });

  serve(operations.unbindJourney, async (request, reply) => {
    const { organizationId } = actorOf(request);
    const { journeyId: documentId } = request.params;
    await withOrganization(db, organizationId, async (tx) => {
      await findAuthorizedDocument(tx, request, { documentId, permission: "journeys:write" });
      await unbindSource(tx, { organizationId, documentId });
    });
    return reply.code(204).send(null);
  });
}
