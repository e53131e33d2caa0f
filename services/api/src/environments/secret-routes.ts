import { withOrganization } from "@waymark/server/db/organization.ts";
import { findEnvironment } from "@waymark/server/environments/queries.ts";
import { listSecrets } from "@waymark/server/environments/secrets/queries.ts";
import * as operations from "@waymark/shared/environments/operations.ts";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { Serve } from "../lib/serve.ts";
import { deleteSecretAs, setSecretAs } from "./change-secret.ts";
import { authorizedEnvironment, type EnvironmentRouteDependencies } from "./route-definitions.ts";

export function registerSecretRoutes(
  serve: Serve,
  { db, keyRing }: Pick<EnvironmentRouteDependencies, "db" | "keyRing">,
): void {
  serve(operations.listEnvironmentSecrets, async (request) => {
    const actor = actorOf(request);
    const environmentRef = { organizationId: actor.organizationId, ...request.params };
    return withOrganization(db, actor.organizationId, async (tx) => {
      authorizedEnvironment(actor, "environments:read", await findEnvironment(tx, environmentRef));
      return { secrets: await listSecrets(tx, environmentRef) };
    });
  });

  serve(operations.setEnvironmentSecret, async (request, reply) => {
    await setSecretAs(db, keyRing, {
      actor: actorOf(request),
      origin: auditOriginOf(request),
      ...request.params,
      request: request.body,
    });
    return reply.code(204).send(null);
  });

  serve(operations.deleteEnvironmentSecret, async (request, reply) => {
    const origin = auditOriginOf(request);
    await deleteSecretAs(db, { actor: actorOf(request), origin, ...request.params });
    return reply.code(204).send(null);
  });
}
