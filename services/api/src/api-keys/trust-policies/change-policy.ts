import { isDeepStrictEqual } from "node:util";
import { assertCanGrant, isScopeWithin, type KeyGrant } from "@waymark/server/api-keys/delegation.ts";
import { lockApiKeys } from "@waymark/server/api-keys/queries.ts";
import { lockKeyChanges } from "@waymark/server/api-keys/revocation/queries.ts";
import { revokeIssuedKeys } from "@waymark/server/api-keys/trust-policies/issued.queries.ts";
import {
  countTrustPolicies,
  deleteTrustPolicy,
  insertTrustPolicy,
  isOnlyOrganization,
  isTrustPolicyNameTaken,
  lockTrustPolicy,
  lockTrustPolicyNames,
  type StoredTrustPolicy,
  type TrustPolicySettings,
  updateTrustPolicy,
} from "@waymark/server/api-keys/trust-policies/queries.ts";
import { validateNewKey } from "@waymark/server/api-keys/validate-new-key.ts";
import { type AuditOrigin, insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { type Actor, authorize } from "@waymark/shared/api-keys/authorize.ts";
import { TRUST_POLICY_LIMITS } from "@waymark/shared/api-keys/trust-policies/limits.ts";
import type { TrustPolicyRequest } from "@waymark/shared/api-keys/trust-policies/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { containsApiKey } from "@waymark/shared/lib/redact-api-keys.ts";
import { v7 as uuidv7 } from "uuid";
import { validationError } from "../../lib/zod-routes.ts";
import { callerGrant } from "../../lib/caller-grant.ts";
import { checkConditions } from "./check-conditions.ts";

interface Change {
  actor: Actor;
  origin: AuditOrigin;
}

interface ChangeOfOne extends Change {
  trustPolicyId: string;
}

interface Wanted {
  request: TrustPolicyRequest;
  /** The address of this server, as its clients know it. */
  baseUrl: string;
}

/** @throws AppError `validation_failed`, `permission_denied`, `trust_policy_name_taken` or `limit_reached` */
export async function createTrustPolicyAs(
  db: DatabasePool,
  { actor, origin, ...wanted }: Change & Wanted,
): Promise<StoredTrustPolicy> {
  authorize(actor, "trust:write", {});
  const { organizationId, apiKeyId: keyId } = actor;
  const settings = settingsOf(wanted);
  return withOrganization(db, organizationId, async (tx) => {
    await lockTrustPolicyNames(tx, organizationId);
    await assertGrantable(tx, actor, settings);
    await assertOwnAudience(tx, organizationId, settings);
    await assertNameIsFree(tx, organizationId, settings.name);
    const { policiesMax } = TRUST_POLICY_LIMITS;
    if ((await countTrustPolicies(tx, organizationId)) >= policiesMax) {
      throw new AppError(
        "limit_reached",
        `An organization can have ${policiesMax} trust policies. Delete one that is no longer needed, or give one policy lists of values.`,
      );
    }
    const policy = await insertTrustPolicy(tx, { ...settings, organizationId, id: uuidv7(), keyId });
    await record(tx, { origin, policy, action: "trust_policy.created" });
    return policy;
  });
}

/**
 * Replaces the settings of a policy. If anything but its name changes, what it has issued ends.
 *
 * @throws AppError `validation_failed`, `permission_denied`, `not_found`, `revision_conflict` or `trust_policy_name_taken`
 */
export async function replaceTrustPolicyAs(
  db: DatabasePool,
  { actor, origin, trustPolicyId, revision, ...wanted }: ChangeOfOne & Wanted & { revision: number },
): Promise<StoredTrustPolicy> {
  authorize(actor, "trust:write", {});
  const { organizationId, apiKeyId: keyId } = actor;
  const settings = settingsOf(wanted);
  return withOrganization(db, organizationId, async (tx) => {
    await lockTrustPolicyNames(tx, organizationId);
    await lockKeyChanges(tx, organizationId, "exclusive");
    const before = existing(await lockTrustPolicy(tx, { organizationId, trustPolicyId }, "exclusive"));
    if (before.revision !== revision) {
      throw new AppError(
        "revision_conflict",
        `The trust policy was changed: its revision is ${before.revision}, If-Match names ${revision}. Read it again and apply your change to it.`,
      );
    }
    assertMayEnd(await assertGrantable(tx, actor, settings), before);
    if (before.issuer !== settings.issuer || before.audience !== settings.audience)
      await assertOwnAudience(tx, organizationId, settings);
    if (before.name !== settings.name) await assertNameIsFree(tx, organizationId, settings.name);
    const changed = changedFields(before, settings);
    const policy = await updateTrustPolicy(tx, { ...settings, organizationId, trustPolicyId, keyId });
    const ended = changed.some((name) => name !== "name")
      ? await revokeIssuedKeys(tx, { organizationId, trustPolicyId })
      : [];
    await record(tx, {
      origin,
      policy,
      action: "trust_policy.updated",
      details: { changed, endedKeys: ended.length },
    });
    return policy;
  });
}

/** Deletes a policy, and ends what it has issued. @throws AppError `permission_denied` or `not_found` */
export async function deleteTrustPolicyAs(
  db: DatabasePool,
  { actor, origin, trustPolicyId }: ChangeOfOne,
): Promise<void> {
  authorize(actor, "trust:write", {});
  const { organizationId } = actor;
  await withOrganization(db, organizationId, async (tx) => {
    await lockKeyChanges(tx, organizationId, "exclusive");
    const policy = existing(await lockTrustPolicy(tx, { organizationId, trustPolicyId }, "exclusive"));
    assertMayEnd(await holderOf(tx, actor), policy);
    const ended = await revokeIssuedKeys(tx, { organizationId, trustPolicyId });
    await deleteTrustPolicy(tx, { organizationId, trustPolicyId });
    await record(tx, {
      origin,
      policy,
      action: "trust_policy.deleted",
      details: { endedKeys: ended.length },
    });
  });
}

/** @throws AppError `not_found` */
export function existing(policy: StoredTrustPolicy | null): StoredTrustPolicy {
  if (policy === null) throw new AppError("not_found", "There is no trust policy with this id.");
  return policy;
}

/** The settings of a request as they are stored. @throws AppError `validation_failed` */
function settingsOf({ request, baseUrl }: Wanted): TrustPolicySettings {
  const { name, issuer, audience = baseUrl, conditions, lifetimeSeconds } = request;
  const terms = validateNewKey(request, { now: new Date(), lifetimeDaysMax: undefined });
  checkConditions({ issuer, conditions });
  if (containsApiKey(JSON.stringify({ issuer, audience, conditions })))
    throw validationError([{ path: "", message: "must not contain an API key" }]);
  return {
    name,
    issuer,
    audience,
    conditions,
    lifetimeSeconds,
    scopes: terms.scopes,
    allowedNetworks: terms.allowedNetworks,
    expiresAt: terms.expiresAt?.toISOString() ?? null,
  };
}

/** Checks that the actor could create a key with what the policy gives. @throws AppError `permission_denied` */
async function assertGrantable(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  { scopes, allowedNetworks, expiresAt }: TrustPolicySettings,
): Promise<KeyGrant> {
  const holder = await holderOf(tx, actor);
  assertCanGrant(holder, {
    scopes,
    allowedNetworks,
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
  });
  return holder;
}

/** Locks the actor's key and returns what it can grant. @throws AppError `permission_denied` for an issued key */
async function holderOf(
  tx: DatabaseTransactionConnection,
  { organizationId, apiKeyId }: Actor,
): Promise<KeyGrant> {
  const held = (await lockApiKeys(tx, { organizationId, apiKeyIds: [apiKeyId] })).get(apiKeyId);
  if (held !== undefined && held.trustPolicyId !== null) {
    throw new AppError(
      "permission_denied",
      "A key that was issued for a workload can't change trust policies: what it sets would outlive it.",
    );
  }
  return callerGrant(tx, organizationId, held);
}

/** Checks that the actor could end the keys of a policy, by the rule for revoking keys. @throws AppError `permission_denied` */
function assertMayEnd(holder: KeyGrant, { scopes }: Pick<TrustPolicySettings, "scopes">): void {
  if (scopes.every((scope) => holder.scopes.some((own) => isScopeWithin(scope, own)))) return;
  throw new AppError(
    "permission_denied",
    "This API key can change or delete only trust policies with no more permissions than its own: one of its scopes must cover each scope of the policy, constraints included.",
  );
}

/** Checks that a token with this audience can be meant for this organization only. @throws AppError `validation_failed` */
async function assertOwnAudience(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  { audience }: TrustPolicySettings,
): Promise<void> {
  if (audience.toLowerCase().includes(organizationId) || (await isOnlyOrganization(tx))) return;
  const message =
    `must contain the id of your organization, because this server has several: waymark#${organizationId}, for example. ` +
    "Set WAYMARK_AUDIENCE to it in the pipelines";
  throw validationError([{ path: "audience", message }]);
}

async function assertNameIsFree(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  name: string,
): Promise<void> {
  if (!(await isTrustPolicyNameTaken(tx, { organizationId, name }))) return;
  throw new AppError("trust_policy_name_taken", "There is already a trust policy with this name.");
}

function changedFields(before: StoredTrustPolicy, after: TrustPolicySettings): string[] {
  const earlier = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after).flatMap(([name, value]) => (isSame(earlier.get(name), value) ? [] : [name]));
}

/** Postgres gives jsonb back with its fields in another order, and times in another form. */
function isSame(before: unknown, after: unknown): boolean {
  if (typeof before === "string" && typeof after === "string" && Date.parse(before) === Date.parse(after))
    return true;
  return isDeepStrictEqual(before, after);
}

async function record(
  tx: DatabaseTransactionConnection,
  {
    origin,
    policy: { organizationId, id, name },
    action,
    details = {},
  }: {
    origin: AuditOrigin;
    policy: StoredTrustPolicy;
    action: "trust_policy.created" | "trust_policy.updated" | "trust_policy.deleted";
    details?: { changed?: string[]; endedKeys?: number };
  },
): Promise<void> {
  await insertAuditEvent(tx, {
    ...origin,
    id: uuidv7(),
    organizationId,
    apiKeyId: null,
    action,
    details: { trustPolicyId: id, name, ...details },
  });
}
