import * as operations from "@waymark/shared/api-keys/operations.ts";
import { pathOf } from "@waymark/shared/operations/request.ts";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import { assertOwnOrganization } from "../lib/organization-id.ts";
import { createKeyAs } from "./create-key.ts";
import { type KeyRouteDependencies, STORE_WARNING } from "./route-definitions.ts";
import type { Serve } from "../lib/serve.ts";

export function registerCreateKeyRoute(serve: Serve, { db, lifetimeDaysMax }: KeyRouteDependencies): void {
  serve(operations.createApiKey, async (request, reply) => {
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
      .headers({
        "cache-control": "no-store",
        location: pathOf(operations.getApiKey, { apiKeyId: apiKey.id }),
      })
      .send({ ...apiKey, rawKey, warning: STORE_WARNING });
  });
}
