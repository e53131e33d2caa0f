import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { findApiKey, listApiKeys } from "@waymark/server/api-keys/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { IdPosition, listCursor } from "@waymark/server/lib/cursor.ts";
import * as operations from "@waymark/shared/api-keys/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import { assertOwnOrganization } from "../lib/organization-id.ts";
import { filterOf } from "./key-filter.ts";
import { authorizeForOwner } from "./owner.ts";
import type { KeyRouteDependencies } from "./route-definitions.ts";
import type { Serve } from "../lib/serve.ts";

const CURSORS = listCursor(IdPosition, { list: "listApiKeys" });

export function registerReadKeyRoutes(serve: Serve, { db }: KeyRouteDependencies): void {
  serve(operations.listApiKeys, async (request) => {
    const actor = actorOf(request);
    const { limit, cursor, organizationId, ...fields } = request.query;
    assertOwnOrganization(actor, organizationId);
    authorizeForOwner(actor, "api-keys:read", fields);
    const afterId = CURSORS.read(cursor);
    const rows = await withOrganization(db, actor.organizationId, (tx) =>
      listApiKeys(tx, { organizationId: actor.organizationId, limit, afterId, filter: filterOf(fields) }),
    );
    const { page, nextCursor } = CURSORS.page(rows, limit, (key) => key.id);
    return { apiKeys: [...page], nextCursor };
  });

  serve(operations.getApiKey, async (request) => {
    const actor = actorOf(request);
    const { apiKeyId } = request.params;
    assertOwnOrganization(actor, request.query.organizationId);
    authorize(actor, "api-keys:read", { resourceType: "api_key", resourceId: apiKeyId });
    const key = await withOrganization(db, actor.organizationId, (tx) =>
      findApiKey(tx, { organizationId: actor.organizationId, apiKeyId }),
    );
    if (key === null) throw new AppError("not_found", "There is no API key with this id.");
    return key;
  });

  serve(operations.getOwnApiKey, async (request) => {
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
  });
}
