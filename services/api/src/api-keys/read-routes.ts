import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { findApiKey, listApiKeys } from "@waymark/shared/api-keys/queries.ts";
import { ApiKey, ApiKeyFilterFields, ApiKeyPage, OwnApiKey } from "@waymark/shared/api-keys/schema.ts";
import { withOrganization } from "@waymark/shared/db/organization.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { IdPosition, listCursor } from "@waymark/shared/lib/cursor.ts";
import { Uuid } from "@waymark/shared/lib/schema.ts";
import { z } from "zod";
import { actorOf } from "../lib/authenticate.ts";
import { assertOwnOrganization } from "../lib/organization-id.ts";
import { PageQuery } from "../lib/paging.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { filterOf } from "./key-filter.ts";
import { KEY_ERRORS, KeyParams, type KeyRouteDependencies } from "./route-definitions.ts";
const CURSORS = listCursor(IdPosition, { list: "listApiKeys" });

export function registerReadKeyRoutes(app: ZodApp, { db, authenticate }: KeyRouteDependencies): void {
  app.get(
    "/api/api-keys",
    {
      schema: {
        operationId: "listApiKeys",
        summary: "List API keys",
        description:
          "Newest first, including revoked and expired keys. The raw keys are never included. Filters are combined with and.",
        tags: ["api-keys"],
        querystring: PageQuery.extend({ organizationId: Uuid, ...ApiKeyFilterFields.shape }),
        response: { 200: ApiKeyPage, ...KEY_ERRORS },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      const { limit, cursor, organizationId, ...fields } = request.query;
      assertOwnOrganization(actor, organizationId);
      authorize(actor, "api-keys:read", { resourceType: "api_key" });
      const afterId = CURSORS.read(cursor);
      const rows = await withOrganization(db, actor.organizationId, (tx) =>
        listApiKeys(tx, { organizationId: actor.organizationId, limit, afterId, filter: filterOf(fields) }),
      );
      const { page, nextCursor } = CURSORS.page(rows, limit, (key) => key.id);
      return { apiKeys: [...page], nextCursor };
    },
  );

  app.get(
    "/api/api-keys/:apiKeyId",
    {
      schema: {
        operationId: "getApiKey",
        summary: "Read an API key's metadata",
        tags: ["api-keys"],
        params: KeyParams,
        querystring: z.strictObject({ organizationId: Uuid }),
        response: { 200: ApiKey, ...KEY_ERRORS, 404: ErrorResponse },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      const { apiKeyId } = request.params;
      assertOwnOrganization(actor, request.query.organizationId);
      authorize(actor, "api-keys:read", { resourceType: "api_key", resourceId: apiKeyId });
      const key = await withOrganization(db, actor.organizationId, (tx) =>
        findApiKey(tx, { organizationId: actor.organizationId, apiKeyId }),
      );
      if (key === null) throw new AppError("not_found", "There is no API key with this id.");
      return key;
    },
  );

  app.get(
    "/api/api-keys/self",
    {
      schema: {
        operationId: "getOwnApiKey",
        summary: "Read the calling key's own metadata",
        description: "Needs no permission. Shows the organization and the scopes of the calling key.",
        tags: ["api-keys"],
        response: { 200: OwnApiKey, 401: ErrorResponse, 429: ErrorResponse },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const { organizationId, apiKeyId } = actorOf(request);
      const key = await withOrganization(db, organizationId, (tx) =>
        findApiKey(tx, { organizationId, apiKeyId }),
      );
      if (key === null) throw new AppError("not_found", "This API key no longer exists.");
      const principal = {
        type: key.ownerPrincipalType ?? "service_account",
        id: key.ownerPrincipalId,
        displayName: key.ownerDisplayName,
      };
      return { ...key, organizationId, principal };
    },
  );
}
