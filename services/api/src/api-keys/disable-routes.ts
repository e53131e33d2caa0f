import * as operations from "@waymark/shared/api-keys/operations.ts";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import { assertOwnOrganization } from "../lib/organization-id.ts";
import type { Serve } from "../lib/serve.ts";
import { setKeyDisabledAs } from "./disable-key.ts";
import type { KeyRouteDependencies } from "./route-definitions.ts";

export function registerDisableKeyRoutes(serve: Serve, { db }: Pick<KeyRouteDependencies, "db">): void {
  for (const operation of [operations.disableApiKey, operations.enableApiKey]) {
    serve(operation, async (request) => {
      const actor = actorOf(request);
      const { apiKeyId } = request.params;
      const disabled = operation === operations.disableApiKey;
      assertOwnOrganization(actor, request.body?.organizationId);
      return setKeyDisabledAs(db, { actor, apiKeyId, disabled, origin: auditOriginOf(request) });
    });
  }
}
