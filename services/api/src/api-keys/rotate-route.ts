import * as operations from "@waymark/shared/api-keys/operations.ts";
import { pathOf } from "@waymark/shared/operations/request.ts";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import { assertOwnOrganization } from "../lib/organization-id.ts";
import { rotateKeyAs } from "./rotate-key.ts";
import { type KeyRouteDependencies, STORE_WARNING } from "./route-definitions.ts";
import type { Serve } from "../lib/serve.ts";

// Written out beside the route that creates a key: each contract reads on its own, and their types differ.
export function registerRotateKeyRoute(serve: Serve, { db, lifetimeDaysMax }: KeyRouteDependencies): void {
  serve(operations.rotateApiKey, async (request, reply) => {
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
      .headers({
        "cache-control": "no-store",
        location: pathOf(operations.getApiKey, { apiKeyId: apiKey.id }),
      })
      .send({ ...apiKey, rawKey, warning: STORE_WARNING });
  });
}
