import * as operations from "@waymark/shared/api-keys/operations.ts";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import { assertOwnOrganization } from "../lib/organization-id.ts";
import { filterOf } from "./key-filter.ts";
import { revokeKeysAs, type WantedKeys } from "./revoke-keys.ts";
import type { KeyRouteDependencies } from "./route-definitions.ts";
import type { Serve } from "../lib/serve.ts";

export function registerRevokeKeysRoute(serve: Serve, { db }: KeyRouteDependencies): void {
  serve(operations.revokeApiKeys, (request) => {
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
  });
}
