import { CreateApiKeyRequest, CreatedApiKeyResult } from "@waymark/shared/api-keys/schema.ts";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import { assertOwnOrganization } from "../lib/organization-id.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { createKeyAs } from "./create-key.ts";
import { KEY_ERRORS, type KeyRouteDependencies, STORE_WARNING } from "./route-parts.ts";

export function registerCreateKeyRoute(
  app: ZodApp,
  { db, authenticate, lifetimeDaysMax }: KeyRouteDependencies,
): void {
  app.post(
    "/api/api-keys",
    {
      schema: {
        operationId: "createApiKey",
        summary: "Create an API key",
        description:
          "The answer holds the raw key, this once. The new key can do no more than the calling one, ends no later, and works in no other networks.",
        tags: ["api-keys"],
        body: CreateApiKeyRequest,
        response: { 201: CreatedApiKeyResult, ...KEY_ERRORS },
      },
      onRequest: authenticate,
    },
    async (request, reply) => {
      const actor = actorOf(request);
      assertOwnOrganization(actor, request.body.organizationId);
      const origin = auditOriginOf(request);
      const { apiKey, rawKey } = await createKeyAs(db, {
        actor,
        request: request.body,
        lifetimeDaysMax,
        origin,
      });
      return reply
        .code(201)
        .headers({ "cache-control": "no-store", location: `/api/api-keys/${apiKey.id}` })
        .send({ ...apiKey, rawKey, warning: STORE_WARNING });
    },
  );
}
