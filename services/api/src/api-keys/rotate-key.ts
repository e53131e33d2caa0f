import { type Actor, authorizeAll } from "@waymark/shared/api-keys/authorize.ts";
import { createKey } from "@waymark/server/api-keys/create-key.ts";
import { lockKeyChanges } from "@waymark/server/api-keys/revocation/queries.ts";
import { assertCanGrant, type KeyGrant } from "@waymark/server/api-keys/delegation.ts";
import { latestExpiry } from "@waymark/server/api-keys/validate-new-key.ts";
import { lockApiKeys, replaceApiKey } from "@waymark/server/api-keys/queries.ts";
import { saveKeyRequest } from "@waymark/server/api-keys/requests.queries.ts";
import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { type AuditOrigin, insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { v7 as uuidv7 } from "uuid";
import { validationError } from "../lib/zod-routes.ts";
import { assertActive } from "./assert-active.ts";
import { grantOf } from "../lib/caller-grant.ts";
import { findEarlierKey, hashKeyRequest, replaceEarlierKey } from "./idempotent-request.ts";
import { assertMayOwn, grantToOwner } from "./owner.ts";

/** A key that rotates itself repeats the request within this time at least. */
const REPEATABLE_SECONDS_MIN = 60;

/**
 * Replaces a key by a new one with the same name, owner, scopes, expiry and networks. The old key expires after the grace
 * period. The caller needs the permissions for creating and revoking, and can't get more than its own permissions. A repetition with
 * the same idempotency key replaces the new key, whose response was lost.
 *
 * @throws AppError `permission_denied`, `not_found`, `validation_failed`, `api_key_not_active` for an expired, revoked or disabled
 * key, or an error of the idempotency key
 */
export async function rotateKeyAs(
  db: DatabasePool,
  options: {
    actor: Actor;
    apiKeyId: string;
    graceSeconds: number;
    /** Null if the caller sent none. */
    idempotencyKey: string | null;
    lifetimeDaysMax: number | undefined;
    origin: AuditOrigin;
  },
): Promise<{ apiKey: ApiKey; rawKey: string }> {
  const { actor, graceSeconds, idempotencyKey, lifetimeDaysMax, origin } = options;
  const { organizationId } = actor;
  const apiKeyId = options.apiKeyId.toLowerCase();
  authorizeAll(actor, ["api-keys:create", "api-keys:revoke"], {
    resourceType: "api_key",
    resourceId: apiKeyId,
  });
  assertRepeatable({ isOwn: apiKeyId === actor.apiKeyId, graceSeconds, idempotencyKey });
  const requestHash = hashKeyRequest({ rotatedKeyId: apiKeyId, graceSeconds });
  const request = { organizationId, createdBy: actor.apiKeyId, requestHash };
  const repeatable = idempotencyKey === null ? null : { ...request, idempotencyKey };
  const id = uuidv7();

  return withOrganization(db, organizationId, async (tx) => {
    const earlierId = repeatable === null ? null : await findEarlierKey(tx, repeatable);
    await lockKeyChanges(tx, organizationId, "shared");
    const apiKeyIds = [actor.apiKeyId, apiKeyId, ...(earlierId === null ? [] : [earlierId])];
    const keys = await lockApiKeys(tx, { organizationId, apiKeyIds });
    const earlier = earlierId === null ? undefined : keys.get(earlierId);
    const old = rotatable(keys.get(apiKeyId), earlier);
    const terms = { ...grantOf(old), expiresAt: successorEnd(earlier ?? old, lifetimeDaysMax) };
    const caller = keys.get(actor.apiKeyId);
    assertCanGrant(await holderOf(tx, { actor, caller, owner: old, earlier }), terms);
    await assertMayOwn(tx, actor, old);
    if (earlierId !== null) await replaceEarlierKey(tx, { organizationId, earlier, successorId: id, origin });
    const isReplaceable = repeatable !== null;
    const created = await createSuccessor(tx, { id, actor, old, expiresAt: terms.expiresAt, isReplaceable });
    if (repeatable !== null) await saveKeyRequest(tx, { ...repeatable, apiKeyId: id });
    await replaceApiKey(tx, { organizationId, apiKeyId, replacedBy: id, graceSeconds });
    const details = { successorId: id, graceSeconds };
    const event = { id: uuidv7(), organizationId, apiKeyId, action: "api_key.rotated", details } as const;
    await insertAuditEvent(tx, { ...event, ...origin });
    return created;
  });
}

function createSuccessor(
  tx: DatabaseTransactionConnection,
  options: { id: string; actor: Actor; old: ApiKey; expiresAt: Date | null; isReplaceable: boolean },
): Promise<{ apiKey: ApiKey; rawKey: string }> {
  const { id, actor, old, expiresAt, isReplaceable } = options;
  return createKey(tx, {
    organizationId: actor.organizationId,
    id,
    name: old.name,
    ownerPrincipalType: old.ownerPrincipalType,
    ownerPrincipalId: old.ownerPrincipalId,
    createdBy: actor.apiKeyId,
    scopes: old.scopes,
    expiresAt: expiresAt?.toISOString() ?? null,
    allowedNetworks: old.allowedNetworks,
    isReplaceable,
  });
}

/**
 * Returns what the caller can grant. A caller that rotated itself got its end by that: a repetition can still grant the end that the
 * first request was allowed to.
 */
async function holderOf(
  tx: DatabaseTransactionConnection,
  { earlier, ...options }: Parameters<typeof grantToOwner>[1] & { earlier: ApiKey | undefined },
): Promise<KeyGrant> {
  const { caller } = options;
  const holder = await grantToOwner(tx, options);
  const isRepetition = earlier !== undefined && caller?.replacedBy === earlier.id;
  return isRepetition ? { ...holder, expiresAt: grantOf(earlier).expiresAt } : holder;
}

/** Shortens the lifetime to the operator's current maximum; otherwise such a key could never be rotated. */
function successorEnd(old: ApiKey, lifetimeDaysMax: number | undefined): Date | null {
  const oldEnd = old.expiresAt === null ? null : new Date(old.expiresAt);
  const latest = latestExpiry(new Date(), lifetimeDaysMax);
  if (oldEnd === null || latest === null) return oldEnd ?? latest;
  return oldEnd < latest ? oldEnd : latest;
}

/** @throws AppError `validation_failed` for a key that could not repeat the request, because it ends with it */
function assertRepeatable(options: {
  isOwn: boolean;
  graceSeconds: number;
  idempotencyKey: string | null;
}): void {
  const { isOwn, graceSeconds, idempotencyKey } = options;
  if (!isOwn || idempotencyKey === null || graceSeconds >= REPEATABLE_SECONDS_MIN) return;
  const message =
    `must be at least ${REPEATABLE_SECONDS_MIN} with an Idempotency-Key where a key rotates itself: ` +
    "after the grace period, the key could not repeat the request";
  throw validationError([{ path: "graceSeconds", message }]);
}

/**
 * Returns the key that is rotated. A repetition may find it expired or its expiry shortened, because the first request did that.
 *
 * @throws AppError `not_found` or `api_key_not_active`
 */
function rotatable(key: ApiKey | undefined, earlier: ApiKey | undefined): ApiKey {
  const isRepetition = earlier !== undefined && key?.replacedBy === earlier.id && key.revokedAt === null;
  if (!isRepetition) assertActive(key, "rotated");
  if (key.disabledAt === null) return key;
  // Otherwise its successor would bypass the disabling.
  throw new AppError("api_key_not_active", "This API key is disabled and can't be rotated. Enable it first.");
}
