import { type Actor, authorize, denial } from "@waymark/shared/api-keys/authorize.ts";
import { assertFullAccessRemains } from "@waymark/server/api-keys/revocation/full-access.ts";
import {
  findApiKeyFamily,
  lockKeyChanges,
  revokeApiKeys,
} from "@waymark/server/api-keys/revocation/queries.ts";
import { assertCanRevoke } from "@waymark/server/api-keys/delegation.ts";
import { findApiKey, lockApiKeys } from "@waymark/server/api-keys/queries.ts";
import {
  API_KEY_LIMITS,
  EVERY_PERMISSION,
  type RevokedApiKeyResult,
} from "@waymark/shared/api-keys/schema.ts";
import { deleteTrustPoliciesOf } from "@waymark/server/api-keys/trust-policies/queries.ts";
import {
  type AuditOrigin,
  insertAuditEvent,
  insertAuditEvents,
  OPERATOR,
} from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { v7 as uuidv7 } from "uuid";
import { callerGrant } from "../lib/caller-grant.ts";
import { isOwnUsers } from "./owner.ts";

interface Revocation {
  organizationId: string;
  apiKeyId: string;
  /** Whether to revoke also the keys that it created, and those that they created. */
  children: boolean;
  origin: AuditOrigin;
}

/**
 * Revokes a key, and its children if requested, in one transaction. Idempotent: a repetition gets the same response and
 * isn't recorded again. A key can revoke itself, and keys with no more permissions than its own.
 *
 * @throws AppError `permission_denied`, `not_found`, `recent_sign_in_required` or `last_full_access_key`
 */
export async function revokeKeyAs(
  db: DatabasePool,
  options: Omit<Revocation, "organizationId"> & {
    actor: Actor;
    /** Throws if the session signed in too long ago to end somebody's full access. */
    assertRecentSignIn: () => Promise<void>;
  },
): Promise<RevokedApiKeyResult> {
  const { actor, children, origin, assertRecentSignIn } = options;
  const { organizationId } = actor;
  const apiKeyId = options.apiKeyId.toLowerCase();
  const isOwn = apiKeyId === actor.apiKeyId;
  const resource = { resourceType: "api_key", resourceId: apiKeyId };
  const denied = isOwn ? undefined : denial(actor, ["api-keys:revoke"], resource);
  // Only a user who may end their own keys needs to know whose it is.
  const mayEndOwn = actor.userId !== undefined && denial(actor, ["personal-keys:manage"], {}) === undefined;
  if (denied !== undefined && !mayEndOwn) throw denied;
  // The request doesn't name the children, so a permission limited to this key doesn't include them.
  if (children) authorize(actor, "api-keys:revoke", { resourceType: "api_key" });

  return withOrganization(db, organizationId, async (tx) => {
    await lockKeyChanges(tx, organizationId, "exclusive");
    const keys = await lockApiKeys(tx, { organizationId, apiKeyIds: [actor.apiKeyId, apiKeyId] });
    const caller = await callerGrant(tx, organizationId, keys.get(actor.apiKeyId));
    const target = keys.get(apiKeyId);
    const isOwnUsersKey = target !== undefined && isOwnUsers(actor, target);
    // This is the error for an unknown key, too.
    if (denied !== undefined && !isOwnUsersKey) throw denied;
    if (target === undefined) throw new AppError("not_found", "There is no API key with this id.");
    // The children need no check: no key can grant more than its own permissions.
    if (!isOwn && !isOwnUsersKey) {
      assertCanRevoke(caller, target);
      if (target.scopes.some(({ permission }) => permission === EVERY_PERMISSION)) await assertRecentSignIn();
    }
    const endingIds = await endingWith(tx, { organizationId, apiKeyId, children });
    await assertFullAccessRemains(tx, { organizationId, endingIds });
    return revoke(tx, { organizationId, apiKeyId, children, origin }, endingIds);
  });
}

/** Revokes a key as the operator, without these checks. @param db a pool of the database's owner */
export async function revokeKeyAsOperator(
  db: DatabasePool,
  options: Omit<Revocation, "origin">,
): Promise<RevokedApiKeyResult> {
  return withOrganization(db, options.organizationId, async (tx) => {
    await lockKeyChanges(tx, options.organizationId, "exclusive");
    return revoke(tx, { ...options, origin: OPERATOR }, await endingWith(tx, options));
  });
}

async function endingWith(
  tx: DatabaseTransactionConnection,
  { organizationId, apiKeyId, children }: Omit<Revocation, "origin">,
): Promise<string[]> {
  return children ? findApiKeyFamily(tx, { organizationId, apiKeyIds: [apiKeyId] }) : [apiKeyId];
}

async function revoke(
  tx: DatabaseTransactionConnection,
  { organizationId, apiKeyId, children, origin }: Revocation,
  endingIds: readonly string[],
): Promise<RevokedApiKeyResult> {
  const revokedIds = await revokeApiKeys(tx, { organizationId, apiKeyIds: endingIds });
  await insertAuditEvents(tx, {
    organizationId,
    action: "api_key.revoked",
    keys: revokedIds.map((id) => ({ eventId: uuidv7(), apiKeyId: id })),
    details: children ? { withChildrenOf: apiKeyId } : {},
    ...origin,
  });
  if (children) await endTrustPolicies(tx, { organizationId, apiKeyId, origin }, endingIds);
  const apiKey = await findApiKey(tx, { organizationId, apiKeyId });
  if (apiKey === null) throw new AppError("not_found", "There is no API key with this id.");
  if (!children) return apiKey;
  return {
    ...apiKey,
    revokedCount: revokedIds.length,
    revokedKeyIds: revokedIds.slice(0, API_KEY_LIMITS.revokedKeyIdsMax),
  };
}

/** Deletes the trust policies that the keys have set: otherwise these would go on issuing keys. What they have issued is among the keys. */
async function endTrustPolicies(
  tx: DatabaseTransactionConnection,
  { organizationId, apiKeyId, origin }: Omit<Revocation, "children">,
  apiKeyIds: readonly string[],
): Promise<void> {
  for (const { id, name } of await deleteTrustPoliciesOf(tx, { organizationId, apiKeyIds })) {
    await insertAuditEvent(tx, {
      id: uuidv7(),
      organizationId,
      apiKeyId: null,
      action: "trust_policy.deleted",
      details: { trustPolicyId: id, name, withChildrenOf: apiKeyId },
      ...origin,
    });
  }
}
