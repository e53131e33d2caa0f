import * as operations from "@waymark/shared/journeys/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import { applyChangeset } from "./apply-changeset.ts";
import { type JourneyRouteDependencies, originOf } from "./route-definitions.ts";
import { requirePermission } from "../lib/require-permission.ts";
import type { Serve } from "../lib/serve.ts";

export function registerChangesetRoute(serve: Serve, dependencies: JourneyRouteDependencies): void {
  serve(
    operations.createJourneyChangeset,
    async (request, reply) => {
      const changeset = request.body;
      const result = await applyChangeset(dependencies, {
        actor: actorOf(request),
        origin: originOf(request),
        changeset,
        idempotencyKey: request.headers["idempotency-key"] ?? null,
      });
      return reply.code(changeset.dryRun === true ? 200 : 201).send(result);
    },
    { onRequest: requirePermission("journeys:write"), config: { bodyBytesMax: dependencies.bodyBytesMax } },
  );
}
