import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import type { AccessedResource } from "@waymark/shared/api-keys/scope-allows.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import {
  findEnvironment,
  findEnvironmentByName,
  listEnvironments,
} from "@waymark/server/environments/queries.ts";
import * as operations from "@waymark/shared/environments/operations.ts";
import { IdPosition, listCursor } from "@waymark/server/lib/cursor.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { Serve } from "../lib/serve.ts";
import { describeReleases } from "./describe-release.ts";
import { authorizedEnvironment, type EnvironmentRouteDependencies } from "./route-definitions.ts";

const EVERY_ENVIRONMENT: AccessedResource = { resourceType: "environment" };
const CURSORS = listCursor(IdPosition, { list: "listEnvironments" });

export function registerReadEnvironmentRoutes(
  serve: Serve,
  { db }: Pick<EnvironmentRouteDependencies, "db">,
): void {
  serve(operations.listEnvironments, async (request) => {
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
  });

  serve(operations.getEnvironment, async (request, reply) => {
    const actor = actorOf(request);
    const environmentRef = { organizationId: actor.organizationId, ...request.params };
    const details = await withOrganization(db, actor.organizationId, async (tx) => {
      const found = await findEnvironment(tx, environmentRef);
      const environment = authorizedEnvironment(actor, "environments:read", found);
      const releases = await describeReleases(tx, actor, environment);
      return { ...environment, releases };
    });
    return reply.header("etag", `"${details.revision}"`).send(details);
  });
}
