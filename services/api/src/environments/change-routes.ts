import * as operations from "@waymark/shared/environments/operations.ts";
import { pathOf } from "@waymark/shared/operations/request.ts";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { Serve } from "../lib/serve.ts";
import { createEnvironmentAs, deleteEnvironmentAs, replaceEnvironmentAs } from "./change-environment.ts";
import type { EnvironmentRouteDependencies } from "./route-definitions.ts";

export function registerChangeEnvironmentRoutes(
  serve: Serve,
  { db }: Pick<EnvironmentRouteDependencies, "db">,
): void {
  serve(operations.createEnvironment, async (request, reply) => {
    const environment = await createEnvironmentAs(db, {
      actor: actorOf(request),
      origin: auditOriginOf(request),
      request: request.body,
    });
    return reply
      .code(201)
      .headers({
        location: pathOf(operations.getEnvironment, { environmentId: environment.id }),
        etag: `"${environment.revision}"`,
      })
      .send(environment);
  });

  serve(operations.replaceEnvironment, async (request, reply) => {
    const environment = await replaceEnvironmentAs(db, {
      actor: actorOf(request),
      origin: auditOriginOf(request),
      environmentId: request.params.environmentId,
      revision: Number(request.headers["if-match"].slice(1, -1)),
      request: request.body,
    });
    return reply.header("etag", `"${environment.revision}"`).send(environment);
  });

  serve(operations.deleteEnvironment, async (request, reply) => {
    await deleteEnvironmentAs(db, {
      actor: actorOf(request),
      origin: auditOriginOf(request),
      environmentId: request.params.environmentId,
    });
    return reply.code(204).send(null);
  });
}
