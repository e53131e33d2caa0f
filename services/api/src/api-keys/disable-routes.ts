import { ApiKey, ChangeApiKeyStateRequest } from "@waymark/shared/api-keys/schema.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import { assertOwnOrganization } from "../lib/organization-id.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { setKeyDisabledAs } from "./disable-key.ts";
import { KEY_ERRORS, KeyParams, type KeyRouteDependencies } from "./route-definitions.ts";

const ROUTES = [
  {
    path: "/api/api-keys/:apiKeyId/disable",
    operationId: "disableApiKey",
    summary: "Disable an API key",
    description:
      "Until the key is enabled again, its requests are refused with 401. Its status stays active; disabledAt is set.",
    disabled: true,
  },
  {
    path: "/api/api-keys/:apiKeyId/enable",
    operationId: "enableApiKey",
    summary: "Enable a disabled API key",
    description: "Needs api-keys:create and all permissions that creating this key would need.",
    disabled: false,
  },
] as const;

export function registerDisableKeyRoutes(app: ZodApp, { db, authenticate }: KeyRouteDependencies): void {
  for (const { path, operationId, summary, description, disabled } of ROUTES) {
    app.post(
      path,
      {
        schema: {
          operationId,
          summary,
          description,
          tags: ["api-keys"],
          params: KeyParams,
          body: ChangeApiKeyStateRequest,
          response: { 200: ApiKey, ...KEY_ERRORS, 404: ErrorResponse, 409: ErrorResponse },
        },
        // Allows disabling a key that uses up its organization's limit.
        config: { limits: disabled ? "revocation" : "default" },
        onRequest: authenticate,
      },
      async (request) => {
        const actor = actorOf(request);
        const { apiKeyId } = request.params;
        assertOwnOrganization(actor, request.body?.organizationId);
        return setKeyDisabledAs(db, { actor, apiKeyId, disabled, origin: auditOriginOf(request) });
      },
    );
  }
}
