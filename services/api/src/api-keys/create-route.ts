import { CreateApiKeyRequest, CreatedApiKeyResult } from "@waymark/shared/api-keys/schema.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { z } from "zod";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import { idempotencyKeyHeader } from "../lib/idempotency-key.ts";
import { assertOwnOrganization } from "../lib/organization-id.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { createKeyAs } from "./create-key.ts";
import { KEY_ERRORS, type KeyRouteDependencies, STORE_WARNING } from "./route-definitions.ts";

const CreateKeyHeaders = z.object({
  "idempotency-key": idempotencyKeyHeader(
    "If the same request with the same Idempotency-Key is repeated within 24 h, the API key that it created is replaced, unless it was used: that key is revoked, and the response contains another one.",
  ),
});

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
          "Only this response contains the raw key. The new key has no more permissions, no later expiry and no other networks than the calling key.",
        tags: ["api-keys"],
        headers: CreateKeyHeaders,
        body: CreateApiKeyRequest,
        response: { 201: CreatedApiKeyResult, ...KEY_ERRORS, 409: ErrorResponse, 422: ErrorResponse },
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
        idempotencyKey: request.headers["idempotency-key"] ?? null,
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
