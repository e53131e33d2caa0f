import { type Actor, authorize, denial } from "@waymark/shared/api-keys/authorize.ts";
import { assertCanRevoke, type KeyGrant } from "@waymark/server/api-keys/delegation.ts";
import { type ApiKeyFilter, listApiKeys, lockApiKeys } from "@waymark/server/api-keys/queries.ts";
import { assertFullAccessRemains } from "@waymark/server/api-keys/revocation/full-access.ts";
import {
  findFullAccessKeys,
  lockKeyChanges,
  revokeApiKeys,
} from "@waymark/server/api-keys/revocation/queries.ts";
import { API_KEY_LIMITS, type ApiKey, type KeyRevocation } from "@waymark/shared/api-keys/schema.ts";
import { type AuditOrigin, insertAuditEvents } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { IdPosition, listCursor } from "@waymark/server/lib/cursor.ts";
import { v7 as uuidv7 } from "uuid";
import { callerGrant } from "../lib/caller-grant.ts";

/** The keys to revoke: by their ids, or the next `revokedTogetherMax` ones that match a filter. */
export type WantedKeys = { ids: readonly string[] } | { filter: ApiKeyFilter; cursor: string | undefined };

const CURSORS = listCursor(IdPosition, { list: "revokeApiKeys" });

interface BulkRevocation {
  actor: Actor;
  wanted: WantedKeys;
  /** True if the calling key may be among the revoked ones. */
  includeSelf: boolean;
  origin: AuditOrigin;
}

/**
 * Revokes several keys in one transaction, each by the rules for revoking one. A key that can't be revoked stays, and does not keep
 * others from being revoked.
 *
 * @returns what happened to each key, and for a filter the next cursor if more keys match
 * @throws AppError `permission_denied`, or `validation_failed` for a wrong cursor
 */
export async function revokeKeysAs(
  db: DatabasePool,
  { actor, wanted, includeSelf, origin }: BulkRevocation,
): Promise<{ results: KeyRevocation[]; nextCursor: string | undefined }> {
  const { organizationId } = actor;
  authorizeWanted(actor, wanted);
  const afterId = "filter" in wanted ? CURSORS.read(wanted.cursor) : null;
  return withOrganization(db, organizationId, async (tx) => {
    await lockKeyChanges(tx, organizationId, "exclusive");
    const { ids, nextCursor } = await findWanted(tx, organizationId, { wanted, afterId });
    const keys = await lockApiKeys(tx, { organizationId, apiKeyIds: [actor.apiKeyId, ...ids] });
    const holder = await callerGrant(tx, organizationId, keys.get(actor.apiKeyId));
    const judged = ids.map((id) => judge(actor, holder, { id, key: keys.get(id), includeSelf }));
    const results = await keepFullAccess(tx, organizationId, judged);
    const endingIds = results.filter(({ outcome }) => outcome === "revoked").map(({ apiKeyId }) => apiKeyId);
    const revokedIds = await revokeApiKeys(tx, { organizationId, apiKeyIds: endingIds });
    await insertAuditEvents(tx, {
      organizationId,
      action: "api_key.revoked",
      keys: revokedIds.map((id) => ({ eventId: uuidv7(), apiKeyId: id })),
      details: { together: revokedIds.length, ...("filter" in wanted && { filter: namedOf(wanted.filter) }) },
      ...origin,
    });
    return { results, nextCursor };
  });
}

/** A filter finds keys that the request does not name, so it needs both permissions for all keys. */
function authorizeWanted(actor: Actor, wanted: WantedKeys): void {
  if ("filter" in wanted) {
    authorize(actor, "api-keys:read", { resourceType: "api_key" });
    authorize(actor, "api-keys:revoke", { resourceType: "api_key" });
  } else if (wanted.ids.every((id) => id !== actor.apiKeyId && denialFor(actor, id) !== undefined)) {
    authorize(actor, "api-keys:revoke", {});
  }
}

const denialFor = (actor: Actor, resourceId: string) =>
  denial(actor, ["api-keys:revoke"], { resourceType: "api_key", resourceId });

async function findWanted(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  { wanted, afterId }: { wanted: WantedKeys; afterId: string | null },
): Promise<{ ids: readonly string[]; nextCursor: string | undefined }> {
  if ("ids" in wanted) return { ids: wanted.ids, nextCursor: undefined };
  const limit = API_KEY_LIMITS.revokedTogetherMax;
  const rows = await listApiKeys(tx, { organizationId, limit, afterId, filter: wanted.filter });
  const { page, nextCursor } = CURSORS.page(rows, limit, ({ id }) => id);
  return { ids: page.map(({ id }) => id), nextCursor };
}

function judge(
  actor: Actor,
  holder: KeyGrant,
  { id, key, includeSelf }: { id: string; key: ApiKey | undefined; includeSelf: boolean },
): KeyRevocation {
  const isOwn = id === actor.apiKeyId;
  // A key can always revoke itself. For another one, the answer without the permission does not tell whether it exists.
  const denied = isOwn ? undefined : denialFor(actor, id);
  if (denied !== undefined) return refused(id, denied);
  if (key === undefined) return { apiKeyId: id, outcome: "not_found" };
  if (key.status === "revoked") return { apiKeyId: id, outcome: "already_revoked" };
  if (isOwn) return { apiKeyId: id, outcome: includeSelf ? "revoked" : "own_key" };
  return attempt(id, () => assertCanRevoke(holder, key));
}

/** Refuses those keys without which the organization would have no full access. */
async function keepFullAccess(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  judged: readonly KeyRevocation[],
): Promise<KeyRevocation[]> {
  const all = judged.filter(({ outcome }) => outcome === "revoked").map(({ apiKeyId }) => apiKeyId);
  const isKept = (endingIds: readonly string[]) => assertFullAccessRemains(tx, { organizationId, endingIds });
  const problem = await isKept(all).then(() => undefined, asAppError);
  if (problem === undefined) return [...judged];
  // Each question is two queries under the exclusive lock, and only these keys can be refused.
  const fullAccess = await findFullAccessKeys(tx, { organizationId, apiKeyIds: all, named: true });
  const fullAccessIds = new Set(fullAccess.map(({ id }) => id));
  const endingIds: string[] = [];
  const results: KeyRevocation[] = [];
  for (const result of judged) {
    const { apiKeyId, outcome } = result;
    const isAsked = outcome === "revoked" && fullAccessIds.has(apiKeyId);
    const error = isAsked
      ? await isKept([...endingIds, apiKeyId]).then(() => undefined, asAppError)
      : undefined;
    if (isAsked && error === undefined) endingIds.push(apiKeyId);
    results.push(error === undefined ? result : refused(apiKeyId, error));
  }
  return results;
}

function attempt(apiKeyId: string, check: () => void): KeyRevocation {
  try {
    check();
    return { apiKeyId, outcome: "revoked" };
  } catch (error) {
    return refused(apiKeyId, asAppError(error));
  }
}

/** @throws the error, if it is not one that a response shows */
function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

function refused(apiKeyId: string, { code, message }: AppError): KeyRevocation {
  return { apiKeyId, outcome: "refused", error: { code, message } };
}

/** Returns the fields of a filter that the request names, for the audit record. */
function namedOf({
  name,
  q,
  status,
  createdBy,
  trustPolicyId,
  ownerPrincipalId,
}: ApiKeyFilter): Record<string, string> {
  return {
    ...(name !== null && { name }),
    ...(q !== null && { q }),
    ...(status !== null && { status }),
    ...(createdBy !== null && { createdBy }),
    ...(trustPolicyId !== null && { trustPolicyId }),
    ...(ownerPrincipalId !== null && { ownerPrincipalId }),
  };
}
