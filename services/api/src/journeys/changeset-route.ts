import { hasPermission } from "@waymark/shared/api-keys/authorize.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyRequest } from "fastify";
import * as operations from "@waymark/shared/journeys/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import { applyChangeset } from "./apply-changeset.ts";
import { type JourneyRouteDependencies, originOf } from "./route-definitions.ts";
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
    { onRequest: requireWrite, config: { bodyBytesMax: dependencies.bodyBytesMax } },
  );
}

/** Refuses a key that can't change any journey before the body is read. */
async function requireWrite(request: FastifyRequest): Promise<void> {
  if (hasPermission(actorOf(request), "journeys:write")) return;
  throw new AppError("permission_denied", "This API key lacks the permission journeys:write.");
}
