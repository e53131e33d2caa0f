import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { createKey } from "@waymark/server/api-keys/create-key.ts";
import { lockKeyChanges } from "@waymark/server/api-keys/revocation/queries.ts";
import { assertCanGrant } from "@waymark/server/api-keys/delegation.ts";
import { validateNewKey } from "@waymark/server/api-keys/validate-new-key.ts";
import { lockApiKeys } from "@waymark/server/api-keys/queries.ts";
import { saveKeyRequest } from "@waymark/server/api-keys/requests.queries.ts";
import type { ApiKey, CreateApiKeyRequest } from "@waymark/shared/api-keys/schema.ts";
import { type AuditOrigin, insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { v7 as uuidv7 } from "uuid";
import { findEarlierKey, hashKeyRequest, replaceEarlierKey } from "./idempotent-request.ts";
import { assertMayOwn, authorizeForOwner, grantToOwner } from "./owner.ts";

/**
 * Creates a key for a caller with `api-keys:create`, or a user's own with `personal-keys:manage`. The new key has no more permissions and
 * no later expiry than the caller.
 *
 * @throws AppError `validation_failed`, `permission_denied`, or an error of the idempotency key
 */
export async function createKeyAs(
  db: DatabasePool,
  options: {
    actor: Actor;
    request: CreateApiKeyRequest;
    /** Null if the caller sent none. */
    idempotencyKey: string | null;
    lifetimeDaysMax: number | undefined;
    origin: AuditOrigin;
  },
): Promise<{ apiKey: ApiKey; rawKey: string }> {
  const { actor, request, idempotencyKey, lifetimeDaysMax, origin } = options;
  const { organizationId, apiKeyId } = actor;
  authorizeForOwner(actor, "api-keys:create", request);
  const terms = validateNewKey(request, { now: new Date(), lifetimeDaysMax });

  const repeatable =
    idempotencyKey === null
      ? null
      : { organizationId, createdBy: apiKeyId, idempotencyKey, requestHash: hashKeyRequest(request) };
  const id = uuidv7();

  return withOrganization(db, organizationId, async (tx) => {
    const earlierId = repeatable === null ? null : await findEarlierKey(tx, repeatable);
    await lockKeyChanges(tx, organizationId, "shared");
    const apiKeyIds = earlierId === null ? [apiKeyId] : [apiKeyId, earlierId];
    const held = await lockApiKeys(tx, { organizationId, apiKeyIds });
    const caller = held.get(apiKeyId);
    assertCanGrant(await grantToOwner(tx, { actor, caller, owner: request }), terms);
    await assertMayOwn(tx, actor, request);
    if (earlierId !== null) {
      const earlier = held.get(earlierId);
      await replaceEarlierKey(tx, { organizationId, earlier, successorId: id, origin });
    }
    const isReplaceable = repeatable !== null;
    const created = await insertKey(tx, { id, actor, request, terms, isReplaceable, origin });
    if (repeatable !== null) await saveKeyRequest(tx, { ...repeatable, apiKeyId: id });
    return created;
  });
}

/** Inserts the key and its audit event. */
async function insertKey(
  tx: DatabaseTransactionConnection,
  options: {
    id: string;
    actor: Actor;
    request: CreateApiKeyRequest;
    terms: ReturnType<typeof validateNewKey>;
    isReplaceable: boolean;
    origin: AuditOrigin;
  },
): Promise<{ apiKey: ApiKey; rawKey: string }> {
  const { id, actor, request, terms, isReplaceable, origin } = options;
  const { organizationId } = actor;
  const created = await createKey(tx, {
    organizationId,
    id,
    name: terms.name,
    ownerPrincipalType: request.ownerPrincipalType,
    ownerPrincipalId: request.ownerPrincipalId ?? null,
    createdBy: actor.apiKeyId,
    scopes: terms.scopes,
    expiresAt: terms.expiresAt?.toISOString() ?? null,
    allowedNetworks: terms.allowedNetworks,
    isReplaceable,
  });
  await insertAuditEvent(tx, {
    id: uuidv7(),
    organizationId,
    apiKeyId: id,
    action: "api_key.created",
    details: { name: terms.name, permissions: terms.scopes.map((scope) => scope.permission) },
    ...origin,
  });
  return created;
}
