import {
  API_KEY_LIMITS,
  RevokeApiKeysRequest,
  RevokedApiKeysResult,
} from "@waymark/shared/api-keys/schema.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import { assertOwnOrganization } from "../lib/organization-id.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { filterOf } from "./key-filter.ts";
import { revokeKeysAs, type WantedKeys } from "./revoke-keys.ts";
import { KEY_ERRORS, type KeyRouteDependencies } from "./route-definitions.ts";

export function registerRevokeKeysRoute(app: ZodApp, { db, authenticate }: KeyRouteDependencies): void {
  app.post(
    "/api/api-key-revocations",
    {
      schema: {
        operationId: "revokeApiKeys",
        summary: "Revoke several API keys",
        description:
          `By their ids, or the next ${API_KEY_LIMITS.revokedTogetherMax} that match a filter, newest first: repeat the request with nextCursor for more. ` +
          "Each key is revoked by the rules for one, and the response says what happened to each. The calling key stays, unless includeSelf is true. " +
          "A filter needs api-keys:read, too.",
        tags: ["api-keys"],
        body: RevokeApiKeysRequest,
        response: { 200: RevokedApiKeysResult, ...KEY_ERRORS, 409: ErrorResponse },
      },
      config: { limits: "revocation" },
      onRequest: authenticate,
    },
    (request) => {
      const actor = actorOf(request);
      const { organizationId, apiKeyIds, filter = {}, cursor, includeSelf = false } = request.body;
      assertOwnOrganization(actor, organizationId);
      const wanted: WantedKeys =
        apiKeyIds === undefined
          ? {
              // Revoked keys need no revocation.
              filter: { ...filterOf(filter), isUnrevoked: true },
              cursor,
            }
          : { ids: [...new Set(apiKeyIds.map((id) => id.toLowerCase()))] };
      const origin = auditOriginOf(request);
      return revokeKeysAs(db, { actor, wanted, includeSelf, origin });
    },
  );
}
