import { type Actor, authorize } from "@waymark/shared/api-keys/authorize.ts";
import { createKey } from "@waymark/shared/api-keys/create-key.ts";
import { lockKeyChanges } from "@waymark/shared/api-keys/ending/queries.ts";
import { assertMayHandOut } from "@waymark/shared/api-keys/hand-out.ts";
import { newKeyTerms } from "@waymark/shared/api-keys/new-key-terms.ts";
import { lockApiKeys } from "@waymark/shared/api-keys/queries.ts";
import type { ApiKey, CreateApiKeyRequest } from "@waymark/shared/api-keys/schema.ts";
import { type AuditOrigin, insertAuditEvent } from "@waymark/shared/audit/queries.ts";
import { withOrganization } from "@waymark/shared/db/organization.ts";
import type { DatabasePool } from "@waymark/shared/db/pool.ts";
import { v7 as uuidv7 } from "uuid";
import { callerPower } from "./caller-power.ts";

/**
 * Creates a key for whoever holds `api-keys:create`, with no more power and no longer a life than the caller has.
 *
 * @throws AppError `validation_failed` or `permission_denied`
 */
export async function createKeyAs(
  db: DatabasePool,
  options: {
    actor: Actor;
    request: CreateApiKeyRequest;
    lifetimeDaysMax: number | undefined;
    origin: AuditOrigin;
  },
): Promise<{ apiKey: ApiKey; rawKey: string }> {
  const { actor, request, lifetimeDaysMax, origin } = options;
  const { organizationId, apiKeyId } = actor;
  authorize(actor, "api-keys:create", { resourceType: "api_key" });
  const terms = newKeyTerms(request, { now: new Date(), lifetimeDaysMax });

  return withOrganization(db, organizationId, async (tx) => {
    await lockKeyChanges(tx, organizationId, "shared");
    const held = await lockApiKeys(tx, { organizationId, apiKeyIds: [apiKeyId] });
    assertMayHandOut(callerPower(held.get(apiKeyId)), terms);
    const created = await createKey(tx, {
      organizationId,
      id: uuidv7(),
      name: terms.name,
      ownerPrincipalType: request.ownerPrincipalType,
      ownerPrincipalId: request.ownerPrincipalId ?? null,
      createdBy: apiKeyId,
      scopes: terms.scopes,
      expiresAt: terms.expiresAt?.toISOString() ?? null,
      allowedNetworks: terms.allowedNetworks,
    });
    await insertAuditEvent(tx, {
      id: uuidv7(),
      organizationId,
      apiKeyId: created.apiKey.id,
      action: "api_key.created",
      details: { name: terms.name, permissions: terms.scopes.map((scope) => scope.permission) },
      ...origin,
    });
    return created;
  });
}
