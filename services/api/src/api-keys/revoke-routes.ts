import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { ApiKey, RevokeApiKeyRequest } from "@waymark/shared/api-keys/schema.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import { assertOwnOrganization } from "../lib/organization-id.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { revokeKey } from "./revoke-key.ts";
import { KEY_ERRORS, KeyParams, type KeyRouteDependencies } from "./route-parts.ts";

export function registerRevokeKeyRoutes(app: ZodApp, { db, authenticate }: KeyRouteDependencies): void {
  app.post(
    "/api/api-keys/:apiKeyId/revoke",
    {
      schema: {
        operationId: "revokeApiKey",
        summary: "Revoke an API key",
        description: "For good, from the next request on. Revoking twice answers the same.",
        tags: ["api-keys"],
        params: KeyParams,
        body: RevokeApiKeyRequest,
        response: { 200: ApiKey, ...KEY_ERRORS, 404: ErrorResponse },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      const { apiKeyId } = request.params;
      assertOwnOrganization(actor, request.body?.organizationId);
      authorize(actor, "api-keys:revoke", { resourceType: "api_key", resourceId: apiKeyId });
      const { organizationId } = actor;
      return revokeKey(db, { organizationId, apiKeyId, origin: auditOriginOf(request) });
    },
  );

  app.post(
    "/api/api-keys/self/revoke",
    {
      schema: {
        operationId: "revokeOwnApiKey",
        summary: "Revoke the calling key",
        description:
          "Whoever holds a key can kill it: no permission is needed, and no rate limit is in the way.",
        tags: ["api-keys"],
        body: RevokeApiKeyRequest,
        response: { 200: ApiKey, 400: ErrorResponse, 401: ErrorResponse, 403: ErrorResponse },
      },
      // A leaked key that is being hammered must still be killable.
      config: { keyLimit: "none" },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      assertOwnOrganization(actor, request.body?.organizationId);
      return revokeKey(db, { ...actor, origin: auditOriginOf(request) });
    },
  );
}
