import { type Actor, authorizeAll } from "@waymark/shared/api-keys/authorize.ts";
import { createKey } from "@waymark/shared/api-keys/create-key.ts";
import { lockKeyChanges } from "@waymark/shared/api-keys/revocation/queries.ts";
import { assertCanGrant } from "@waymark/shared/api-keys/delegation.ts";
import { latestExpiry } from "@waymark/shared/api-keys/validate-new-key.ts";
import { lockApiKeys, replaceApiKey } from "@waymark/shared/api-keys/queries.ts";
import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { type AuditOrigin, insertAuditEvent } from "@waymark/shared/audit/queries.ts";
import { withOrganization } from "@waymark/shared/db/organization.ts";
import type { DatabasePool } from "@waymark/shared/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { v7 as uuidv7 } from "uuid";
import { assertActive } from "./assert-active.ts";
import { grantableScopes, grantOf } from "./grantable-scopes.ts";

/**
 * Replaces a key by a new one with the same name, owner, scopes, expiry and networks. The old key expires after the grace
 * period. The caller needs the permissions for creating and revoking, and can't get more than its own permissions.
 *
 * @throws AppError `permission_denied`, `not_found`, or `api_key_not_active` for an expired, revoked or disabled key
 */
export async function rotateKeyAs(
  db: DatabasePool,
  options: {
    actor: Actor;
    apiKeyId: string;
    graceSeconds: number;
    lifetimeDaysMax: number | undefined;
    origin: AuditOrigin;
  },
): Promise<{ apiKey: ApiKey; rawKey: string }> {
  const { actor, graceSeconds, lifetimeDaysMax, origin } = options;
  const { organizationId } = actor;
  const apiKeyId = options.apiKeyId.toLowerCase();
  authorizeAll(actor, ["api-keys:create", "api-keys:revoke"], {
    resourceType: "api_key",
    resourceId: apiKeyId,
  });

  return withOrganization(db, organizationId, async (tx) => {
    await lockKeyChanges(tx, organizationId, "shared");
    const keys = await lockApiKeys(tx, { organizationId, apiKeyIds: [actor.apiKeyId, apiKeyId] });
    const old = activeKey(keys.get(apiKeyId));
    const terms = { ...grantOf(old), expiresAt: successorEnd(old, lifetimeDaysMax) };
    assertCanGrant(grantableScopes(keys.get(actor.apiKeyId)), terms);
    const created = await createKey(tx, {
      organizationId,
      id: uuidv7(),
      name: old.name,
      ownerPrincipalType: old.ownerPrincipalType,
      ownerPrincipalId: old.ownerPrincipalId,
      createdBy: actor.apiKeyId,
      scopes: old.scopes,
      expiresAt: terms.expiresAt?.toISOString() ?? null,
      allowedNetworks: old.allowedNetworks,
    });
    await replaceApiKey(tx, { organizationId, apiKeyId, replacedBy: created.apiKey.id, graceSeconds });
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

/** Shortens the lifetime to the operator's current maximum; otherwise such a key could never be rotated. */
function successorEnd(old: ApiKey, lifetimeDaysMax: number | undefined): Date | null {
  const oldEnd = old.expiresAt === null ? null : new Date(old.expiresAt);
  const latest = latestExpiry(new Date(), lifetimeDaysMax);
  if (oldEnd === null || latest === null) return oldEnd ?? latest;
  return oldEnd < latest ? oldEnd : latest;
}

function activeKey(key: ApiKey | undefined): ApiKey {
  assertActive(key, "rotated");
  if (key.disabledAt === null) return key;
  // Otherwise its successor would bypass the disabling.
  throw new AppError("api_key_not_active", "This API key is disabled and can't be rotated. Enable it first.");
}
