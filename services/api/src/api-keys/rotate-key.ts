import { type Actor, authorizeAll } from "@waymark/shared/api-keys/authorize.ts";
import { createKey } from "@waymark/shared/api-keys/create-key.ts";
import { assertMayHandOut } from "@waymark/shared/api-keys/hand-out.ts";
import { endApiKeyAfter, lockApiKeys } from "@waymark/shared/api-keys/queries.ts";
import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { type AuditOrigin, insertAuditEvent } from "@waymark/shared/audit/queries.ts";
import { withOrganization } from "@waymark/shared/db/organization.ts";
import type { DatabasePool } from "@waymark/shared/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { v7 as uuidv7 } from "uuid";
import { callerPower } from "./caller-power.ts";

/**
 * Replaces a key: a new one with the same name, owner, scopes and expiry, and an end for the old one after the grace
 * period. The caller needs what creating and revoking need, and can't get more than it holds.
 *
 * @throws AppError `permission_denied`, `not_found`, or `api_key_not_active` for a key that is expired or revoked
 */
export async function rotateKeyAs(
  db: DatabasePool,
  options: { actor: Actor; apiKeyId: string; graceSeconds: number; origin: AuditOrigin },
): Promise<{ apiKey: ApiKey; rawKey: string }> {
  const { actor, graceSeconds, origin } = options;
  const { organizationId } = actor;
  const apiKeyId = options.apiKeyId.toLowerCase();
  authorizeAll(actor, ["api-keys:create", "api-keys:revoke"], {
    resourceType: "api_key",
    resourceId: apiKeyId,
  });

  return withOrganization(db, organizationId, async (tx) => {
    const keys = await lockApiKeys(tx, { organizationId, apiKeyIds: [actor.apiKeyId, apiKeyId] });
    const old = activeKey(keys.get(apiKeyId));
    assertMayHandOut(callerPower(keys.get(actor.apiKeyId)), {
      scopes: old.scopes,
      expiresAt: old.expiresAt === null ? null : new Date(old.expiresAt),
    });
    const created = await createKey(tx, {
      organizationId,
      id: uuidv7(),
      name: old.name,
      ownerPrincipalType: old.ownerPrincipalType,
      ownerPrincipalId: old.ownerPrincipalId,
      createdBy: actor.apiKeyId,
      scopes: old.scopes,
      expiresAt: old.expiresAt,
    });
    await endApiKeyAfter(tx, { organizationId, apiKeyId, graceSeconds });
    await insertAuditEvent(tx, {
      id: uuidv7(),
      organizationId,
      apiKeyId,
      action: "api_key.rotated",
      details: { successorId: created.apiKey.id, graceSeconds },
      ...origin,
    });
    return created;
  });
}

function activeKey(key: ApiKey | undefined): ApiKey {
  if (key === undefined) throw new AppError("not_found", "There is no API key with this id.");
  if (key.status === "active") return key;
  throw new AppError(
    "api_key_not_active",
    `This API key is ${key.status} and can't be rotated. Create a new one instead.`,
  );
}
