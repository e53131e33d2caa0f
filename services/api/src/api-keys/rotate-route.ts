import { CreatedApiKeyResult, RotateApiKeyRequest } from "@waymark/shared/api-keys/schema.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { z } from "zod";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import { idempotencyKeyHeader } from "../lib/idempotency-key.ts";
import { assertOwnOrganization } from "../lib/organization-id.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { rotateKeyAs } from "./rotate-key.ts";
import { KEY_ERRORS, KeyParams, type KeyRouteDependencies, STORE_WARNING } from "./route-definitions.ts";

const RotateKeyHeaders = z.object({
  "idempotency-key": idempotencyKeyHeader(
    "If the same request with the same Idempotency-Key is repeated within 24 h, the new key is replaced, unless it was used: that key is revoked, and the response contains another one. The end of the old key stays. A key that rotates itself needs graceSeconds of at least 60.",
  ),
});

// Written out beside the route that creates a key: each contract reads on its own, and their types differ.
export function registerRotateKeyRoute(
  app: ZodApp,
  { db, authenticate, lifetimeDaysMax }: KeyRouteDependencies,
): void {
  app.post(
    "/api/api-keys/:apiKeyId/rotate",
    {
      schema: {
        operationId: "rotateApiKey",
        summary: "Replace an API key",
        description:
          "Creates a new key with the same name, owner, scopes, networks and expiry. The old key expires after graceSeconds. If the operator has set a maximum lifetime, it limits the new key's expiry. Only this response contains the new raw key.",
        tags: ["api-keys"],
        headers: RotateKeyHeaders,
        params: KeyParams,
        body: RotateApiKeyRequest,
        response: {
          201: CreatedApiKeyResult,
          ...KEY_ERRORS,
          404: ErrorResponse,
          409: ErrorResponse,
          422: ErrorResponse,
        },
      },
      onRequest: authenticate,
    },
    async (request, reply) => {
      const actor = actorOf(request);
      assertOwnOrganization(actor, request.body.organizationId);
      const { apiKey, rawKey } = await rotateKeyAs(db, {
        actor,
        apiKeyId: request.params.apiKeyId,
        graceSeconds: request.body.graceSeconds,
        idempotencyKey: request.headers["idempotency-key"] ?? null,
        lifetimeDaysMax,
        origin: auditOriginOf(request),
      });
      return reply
        .code(201)
        .headers({ "cache-control": "no-store", location: `/api/api-keys/${apiKey.id}` })
        .send({ ...apiKey, rawKey, warning: STORE_WARNING });
    },
  );
}
