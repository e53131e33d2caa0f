import { RevokeApiKeyRequest, RevokedApiKeyResult } from "@waymark/shared/api-keys/schema.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import { assertOwnOrganization } from "../lib/organization-id.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { revokeKeyAs } from "./revoke-key.ts";
import { KEY_ERRORS, KeyParams, type KeyRouteDependencies } from "./route-definitions.ts";

export function registerRevokeKeyRoutes(app: ZodApp, { db, authenticate }: KeyRouteDependencies): void {
  app.post(
    "/api/api-keys/:apiKeyId/revoke",
    {
      schema: {
        operationId: "revokeApiKey",
        summary: "Revoke an API key",
        description:
          "Permanent, from the next request on. Idempotent. A key can revoke keys with no more permissions than its own, and with children: true also every key that they created. The last usable key with * can't be revoked.",
        tags: ["api-keys"],
        params: KeyParams,
        body: RevokeApiKeyRequest,
        response: { 200: RevokedApiKeyResult, ...KEY_ERRORS, 404: ErrorResponse, 409: ErrorResponse },
      },
      config: { limits: "revocation" },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      const { apiKeyId } = request.params;
      assertOwnOrganization(actor, request.body?.organizationId);
      const children = request.body?.children ?? false;
      return revokeKeyAs(db, { actor, apiKeyId, children, origin: auditOriginOf(request) });
    },
  );

  app.post(
    "/api/api-keys/self/revoke",
    {
      schema: {
        operationId: "revokeOwnApiKey",
        summary: "Revoke the calling key",
        description:
          "Every key can revoke itself: this needs no permission, and only refused requests count towards a rate limit. With children: true it needs api-keys:revoke. The last usable key with * can't be revoked.",
        tags: ["api-keys"],
        body: RevokeApiKeyRequest,
        response: { 200: RevokedApiKeyResult, ...KEY_ERRORS, 409: ErrorResponse },
      },
      // A leaked key must be revocable even while somebody sends many requests with it.
      config: { limits: "refused", bodyBytesMax: 1024 },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      assertOwnOrganization(actor, request.body?.organizationId);
      const children = request.body?.children ?? false;
      const { apiKeyId } = actor;
      return revokeKeyAs(db, { actor, apiKeyId, children, origin: auditOriginOf(request) });
    },
  );
}
