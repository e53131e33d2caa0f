import { createKey } from "@waymark/server/api-keys/create-key.ts";
import { lockKeyChanges } from "@waymark/server/api-keys/revocation/queries.ts";
import { insertExchangedToken } from "@waymark/server/api-keys/trust-policies/issued.queries.ts";
import {
  findTrustPoliciesByIssuer,
  lockTrustPolicy,
  type StoredTrustPolicy,
} from "@waymark/server/api-keys/trust-policies/queries.ts";
import { type AuditOrigin, insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { API_KEY_LIMITS, type ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { TRUST_POLICY_LIMITS } from "@waymark/shared/api-keys/trust-policies/limits.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { v7 as uuidv7 } from "uuid";
import { accepts, choosePolicy, type Identity, identityRefused } from "./choose-policy.ts";
import { auditedClaims, shownSubject } from "./identity-texts.ts";
import type { IssuerKeys } from "./token/issuer-keys.ts";
import { parseToken } from "./token/parse-token.ts";
import { verifyToken } from "./token/verify-token.ts";

interface ExchangeDependencies {
  db: DatabasePool;
  keys: IssuerKeys;
}

/** A key that was issued for a token. */
export interface IssuedKey {
  apiKey: ApiKey;
  rawKey: string;
  policy: StoredTrustPolicy;
}

/**
 * Finds the policy that accepts a token. Nothing is fetched for an issuer that no policy names.
 *
 * @throws AppError `identity_refused`, `identity_not_trusted` or `issuer_unavailable`
 */
export async function identify(
  { db, keys }: ExchangeDependencies,
  text: string,
): Promise<{ identity: Identity; policy: StoredTrustPolicy }> {
  const token = parseToken(text);
  if (token === undefined) throw identityRefused();
  const policies = await findTrustPoliciesByIssuer(db, token);
  if (policies.length === 0) throw identityRefused();
  const organizationIds = [...new Set(policies.map((policy) => policy.organizationId))];
  const verified = await verifyToken(keys, token, organizationIds);
  if (verified === undefined) throw identityRefused();
  const identity = { token, verified };
  return { identity, policy: choosePolicy(policies, identity) };
}

/**
 * Issues a key for an accepted token, and remembers the token.
 *
 * @throws AppError `identity_token_used`, or `identity_refused` if the policy was changed meanwhile
 */
export async function issueKey(
  db: DatabasePool,
  {
    identity,
    policy: { organizationId, id: trustPolicyId },
    origin,
  }: { identity: Identity; policy: StoredTrustPolicy; origin: Omit<AuditOrigin, "actorKeyId" | "by"> },
): Promise<IssuedKey> {
  return withOrganization(db, organizationId, async (tx) => {
    // Keys that end take this lock exclusively: what a leaked key's policy issues meanwhile ends, too.
    await lockKeyChanges(tx, organizationId, "shared");
    const policy = await lockTrustPolicy(tx, { organizationId, trustPolicyId }, "shared");
    if (policy === null || !accepts(policy, identity)) throw identityRefused();
    await rememberToken(tx, organizationId, identity);
    const created = await createKey(tx, keyOf(policy, identity));
    await insertAuditEvent(tx, {
      ...origin,
      actorKeyId: null,
      by: "trust_policy",
      id: uuidv7(),
      organizationId,
      apiKeyId: created.apiKey.id,
      action: "token.exchanged",
      details: {
        trustPolicyId,
        name: policy.name,
        issuer: policy.issuer,
        subject: shownSubject(identity.verified.subject),
        claims: auditedClaims(policy.conditions, identity.verified.claims),
      },
    });
    return { ...created, policy };
  });
}

async function rememberToken(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  { token, verified }: Identity,
): Promise<void> {
  // It is accepted until then.
  const end = verified.expiresAt.getTime() + TRUST_POLICY_LIMITS.clockSkewSeconds * 1000;
  const expiresAt = new Date(end + 60_000);
  if (await insertExchangedToken(tx, { organizationId, tokenHash: token.hash, expiresAt })) return;
  throw new AppError(
    "identity_token_used",
    "This token was exchanged before, and each can be exchanged once. Let the CI system issue another one for each command.",
  );
}

function keyOf(policy: StoredTrustPolicy, { verified }: Identity): Parameters<typeof createKey>[1] {
  const end = Date.now() + policy.lifetimeSeconds * 1000;
  const latest = policy.expiresAt === null ? end : Date.parse(policy.expiresAt);
  const subject = shownSubject(verified.subject);
  return {
    organizationId: policy.organizationId,
    id: uuidv7(),
    name: Array.from(`${policy.name}: ${subject}`).slice(0, API_KEY_LIMITS.nameMax).join(""),
    ownerPrincipalType: "service_account",
    ownerPrincipalId: null,
    ownerDisplayName: subject,
    createdBy: policy.updatedByKeyId,
    trustPolicyId: policy.id,
    scopes: policy.scopes,
    expiresAt: new Date(Math.min(end, latest)).toISOString(),
    allowedNetworks: policy.allowedNetworks,
  };
}
