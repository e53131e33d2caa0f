import { type AccessedResource, authorize } from "@waymark/shared/api-keys/authorize.ts";
import { withOrganization } from "@waymark/shared/db/organization.ts";
import {
  findEnvironment,
  findEnvironmentByName,
  listEnvironments,
} from "@waymark/shared/environments/queries.ts";
import { EnvironmentDetails, EnvironmentPage } from "@waymark/shared/environments/schema.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { IdPosition, listCursor } from "@waymark/shared/lib/cursor.ts";
import { text } from "@waymark/shared/lib/schema.ts";
import { actorOf } from "../lib/authenticate.ts";
import { PageQuery } from "../lib/paging.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { describeReleases } from "./describe-release.ts";
import {
  authorizedEnvironment,
  ENVIRONMENT_ERRORS,
  EnvironmentParams,
  type EnvironmentRouteDependencies,
} from "./route-definitions.ts";

const EnvironmentQuery = PageQuery.extend({
  name: text({ max: 200 }).optional().meta({ description: "Only the environment with this name." }),
});
const EVERY_ENVIRONMENT: AccessedResource = { resourceType: "environment" };
const CURSORS = listCursor(IdPosition, { list: "listEnvironments" });

export function registerReadEnvironmentRoutes(
  app: ZodApp,
  { db, authenticate }: EnvironmentRouteDependencies,
): void {
  app.get(
    "/api/environments",
    {
      schema: {
        operationId: "listEnvironments",
        summary: "List environments",
        description: "Newest first. A key limited to an environment can read it by its name or id.",
        tags: ["environments"],
        querystring: EnvironmentQuery,
        response: { 200: EnvironmentPage, ...ENVIRONMENT_ERRORS },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      const { organizationId } = actor;
      const { limit, cursor, name } = request.query;
      const afterId = CURSORS.read(cursor);
      if (name !== undefined) {
        const named = await withOrganization(db, organizationId, (tx) =>
          findEnvironmentByName(tx, { organizationId, name }),
        );
        authorize(actor, "environments:read", {
          ...EVERY_ENVIRONMENT,
          ...(named === null ? {} : { environmentId: named.id }),
        });
        return { environments: named === null ? [] : [named] };
      }
      authorize(actor, "environments:read", EVERY_ENVIRONMENT);
      const rows = await withOrganization(db, organizationId, (tx) =>
        listEnvironments(tx, { organizationId, limit, afterId }),
      );
      const { page, nextCursor } = CURSORS.page(rows, limit, (environment) => environment.id);
      return { environments: [...page], nextCursor };
    },
  );

  app.get(
    "/api/environments/:environmentId",
    {
      schema: {
        operationId: "getEnvironment",
        summary: "Read an environment",
        description:
          "With the versions of journeys that were released for it. ETag is its revision, for If-Match.",
        tags: ["environments"],
        params: EnvironmentParams,
        response: { 200: EnvironmentDetails, ...ENVIRONMENT_ERRORS, 404: ErrorResponse },
      },
      onRequest: authenticate,
    },
    async (request, reply) => {
      const actor = actorOf(request);
      const environmentRef = { organizationId: actor.organizationId, ...request.params };
      const details = await withOrganization(db, actor.organizationId, async (tx) => {
        const found = await findEnvironment(tx, environmentRef);
        const environment = authorizedEnvironment(actor, "environments:read", found);
        const releases = await describeReleases(tx, actor, environment);
        return { ...environment, releases };
      });
      return reply.header("etag", `"${details.revision}"`).send(details);
    },
  );
}
