import { hasPermission } from "@waymark/shared/api-keys/authorize.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { JourneyChangeset, JourneyChangesetResult } from "@waymark/shared/journeys/schema.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { actorOf } from "../lib/authenticate.ts";
import { idempotencyKeyHeader } from "../lib/idempotency-key.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { applyChangeset } from "./apply-changeset.ts";
import { CHANGE_ERRORS, type JourneyRouteDependencies, originOf } from "./route-definitions.ts";

const ChangesetHeaders = z.object({
  "idempotency-key": idempotencyKeyHeader(
    "For 24 h, a request with the same Idempotency-Key and body gets the first response again.",
  ),
});

export function registerChangesetRoute(app: ZodApp, dependencies: JourneyRouteDependencies): void {
  app.post(
    "/api/journey-changesets",
    {
      schema: {
        operationId: "createJourneyChangeset",
        summary: "Change journeys, overlays and descriptions",
        description:
          "All changes are stored, or none. A change names the version that it was made from: if the document has moved on, the response is 409 with the versions. Documents with errors are stored too, and can't be run.",
        tags: ["journeys"],
        headers: ChangesetHeaders,
        body: JourneyChangeset,
        response: { 200: JourneyChangesetResult, 201: JourneyChangesetResult, ...CHANGE_ERRORS },
      },
      config: { bodyBytesMax: dependencies.bodyBytesMax },
      onRequest: [dependencies.authenticate, requireWrite],
    },
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
  );
}

/** Refuses a key that can't change any journey before the body is read. */
async function requireWrite(request: FastifyRequest): Promise<void> {
  if (hasPermission(actorOf(request), "journeys:write")) return;
  throw new AppError("permission_denied", "This API key lacks the permission journeys:write.");
}
