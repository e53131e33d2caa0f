import * as operations from "@waymark/shared/api-keys/operations.ts";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import { assertOwnOrganization } from "../lib/organization-id.ts";
import { assertRecentSignIn } from "../lib/recent-sign-in.ts";
import { revokeKeyAs } from "./revoke-key.ts";
import type { KeyRouteDependencies } from "./route-definitions.ts";
import type { Serve } from "../lib/serve.ts";

export function registerRevokeKeyRoutes(serve: Serve, { db }: KeyRouteDependencies): void {
  serve(operations.revokeApiKey, async (request) => {
    const actor = actorOf(request);
    const { apiKeyId } = request.params;
    assertOwnOrganization(actor, request.body?.organizationId);
    const children = request.body?.children ?? false;
    return revokeKeyAs(db, {
      actor,
      apiKeyId,
      children,
      origin: auditOriginOf(request),
      assertRecentSignIn: () => assertRecentSignIn(request),
    });
  });

  serve(operations.revokeOwnApiKey, async (request) => {
    const actor = actorOf(request);
    assertOwnOrganization(actor, request.body?.organizationId);
    const children = request.body?.children ?? false;
    const { apiKeyId } = actor;
    return revokeKeyAs(db, {
      actor,
      apiKeyId,
      children,
      origin: auditOriginOf(request),
      assertRecentSignIn: () => assertRecentSignIn(request),
    });
  });
}
