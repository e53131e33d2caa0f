import { type CommonQueryMethods, type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { ApiKeyScope } from "@waymark/shared/api-keys/schema.ts";
import type { TrustPolicy } from "@waymark/shared/api-keys/trust-policies/schema.ts";

const TrustPolicyRow = z.object({
  organization_id: z.string(),
  id: z.string(),
  name: z.string(),
  issuer: z.string(),
  audience: z.string(),
  conditions: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  scopes: z.array(ApiKeyScope),
  allowed_networks: z.array(z.string()).nullable(),
  lifetime_seconds: z.number(),
  expires_at: z.string().nullable(),
  revision: z.number(),
  created_by_key_id: z.string(),
  updated_by_key_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});

const COLUMNS = sql.fragment`
  organization_id, id, name, issuer, audience, conditions, scopes, allowed_networks, lifetime_seconds, expires_at, revision,
  created_by_key_id, updated_by_key_id, created_at, updated_at`;

/** A policy as it is stored. */
export type StoredTrustPolicy = Omit<TrustPolicy, "warnings"> & { organizationId: string };

/** The settings of a policy that callers choose. */
export type TrustPolicySettings = Pick<
  StoredTrustPolicy,
  | "name"
  | "issuer"
  | "audience"
  | "conditions"
  | "scopes"
  | "allowedNetworks"
  | "lifetimeSeconds"
  | "expiresAt"
>;

interface TrustPolicyRef {
  organizationId: string;
  trustPolicyId: string;
}

/** Lets one transaction at a time create or rename policies of an organization, so that limit and names hold. */
export async function lockTrustPolicyNames(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<void> {
  await tx.query(sql.type(z.object({ locked: z.string() }))`
    SELECT pg_advisory_xact_lock(hashtextextended(${`trust_policies ${organizationId}`}, 0))::text AS locked`);
}

export async function countTrustPolicies(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<number> {
  return tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*)::int AS count FROM trust_policies WHERE organization_id = ${organizationId}`);
}

/** Returns true if the server has one organization only. */
export async function isOnlyOrganization(db: CommonQueryMethods): Promise<boolean> {
  return db.oneFirst(sql.type(z.object({ only: z.boolean() }))`SELECT is_only_organization() AS only`);
}

/** Lists policies, newest first: up to `limit + 1`, so that the caller sees whether there are more. */
export async function listTrustPolicies(
  tx: DatabaseTransactionConnection,
  options: { organizationId: string; limit: number; afterId: string | null },
): Promise<StoredTrustPolicy[]> {
  const rows = await tx.any(sql.type(TrustPolicyRow)`
    SELECT ${COLUMNS} FROM trust_policies
    WHERE organization_id = ${options.organizationId}
      AND (${options.afterId}::uuid IS NULL OR id < ${options.afterId}::uuid)
    ORDER BY id DESC
    LIMIT ${options.limit + 1}`);
  return rows.map(toPolicy);
}

export async function findTrustPolicy(
  tx: DatabaseTransactionConnection,
  { organizationId, trustPolicyId }: TrustPolicyRef,
): Promise<StoredTrustPolicy | null> {
  const row = await tx.maybeOne(sql.type(TrustPolicyRow)`
    SELECT ${COLUMNS} FROM trust_policies
    WHERE organization_id = ${organizationId} AND id = ${trustPolicyId}`);
  return row === null ? null : toPolicy(row);
}

/** Like `findTrustPolicy`; no other transaction can change or delete it until this one ends. */
export async function lockTrustPolicy(
  tx: DatabaseTransactionConnection,
  { organizationId, trustPolicyId }: TrustPolicyRef,
  mode: "shared" | "exclusive",
): Promise<StoredTrustPolicy | null> {
  const lock = mode === "shared" ? sql.fragment`FOR SHARE` : sql.fragment`FOR UPDATE`;
  const row = await tx.maybeOne(sql.type(TrustPolicyRow)`
    SELECT ${COLUMNS} FROM trust_policies
    WHERE organization_id = ${organizationId} AND id = ${trustPolicyId}
    ${lock}`);
  return row === null ? null : toPolicy(row);
}

export async function isTrustPolicyNameTaken(
  tx: DatabaseTransactionConnection,
  { organizationId, name }: { organizationId: string; name: string },
): Promise<boolean> {
  return tx.exists(sql.type(z.object({}))`
    SELECT FROM trust_policies WHERE organization_id = ${organizationId} AND name = ${name}`);
}

export async function insertTrustPolicy(
  tx: DatabaseTransactionConnection,
  policy: TrustPolicySettings & { organizationId: string; id: string; keyId: string },
): Promise<StoredTrustPolicy> {
  const row = await tx.one(sql.type(TrustPolicyRow)`
    INSERT INTO trust_policies (organization_id, id, name, issuer, audience, conditions, scopes, allowed_networks,
                                lifetime_seconds, expires_at, created_by_key_id, updated_by_key_id)
    VALUES (${policy.organizationId}, ${policy.id}, ${policy.name}, ${policy.issuer}, ${policy.audience},
            ${json(policy.conditions)}, ${json(policy.scopes)}, ${networks(policy)}, ${policy.lifetimeSeconds},
            ${policy.expiresAt}, ${policy.keyId}, ${policy.keyId})
    RETURNING ${COLUMNS}`);
  return toPolicy(row);
}

export async function updateTrustPolicy(
  tx: DatabaseTransactionConnection,
  { organizationId, trustPolicyId, ...policy }: TrustPolicySettings & TrustPolicyRef & { keyId: string },
): Promise<StoredTrustPolicy> {
  const row = await tx.one(sql.type(TrustPolicyRow)`
    UPDATE trust_policies
    SET name = ${policy.name}, issuer = ${policy.issuer}, audience = ${policy.audience},
        conditions = ${json(policy.conditions)}, scopes = ${json(policy.scopes)}, allowed_networks = ${networks(policy)},
        lifetime_seconds = ${policy.lifetimeSeconds}, expires_at = ${policy.expiresAt},
        updated_by_key_id = ${policy.keyId}, revision = revision + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${trustPolicyId}
    RETURNING ${COLUMNS}`);
  return toPolicy(row);
}

export async function deleteTrustPolicy(
  tx: DatabaseTransactionConnection,
  { organizationId, trustPolicyId }: TrustPolicyRef,
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    DELETE FROM trust_policies WHERE organization_id = ${organizationId} AND id = ${trustPolicyId}`);
}

/** Deletes the policies that pass on the permissions of these keys. */
export async function deleteTrustPoliciesOf(
  tx: DatabaseTransactionConnection,
  { organizationId, apiKeyIds }: { organizationId: string; apiKeyIds: readonly string[] },
): Promise<readonly { id: string; name: string }[]> {
  return tx.any(sql.type(z.object({ id: z.string(), name: z.string() }))`
    DELETE FROM trust_policies
    WHERE organization_id = ${organizationId} AND updated_by_key_id = ANY(${sql.array([...apiKeyIds], "uuid")})
    RETURNING id, name`);
}

function toPolicy(row: z.infer<typeof TrustPolicyRow>): StoredTrustPolicy {
  return {
    organizationId: row.organization_id,
    id: row.id,
    name: row.name,
    issuer: row.issuer,
    audience: row.audience,
    conditions: row.conditions,
    scopes: row.scopes,
    lifetimeSeconds: row.lifetime_seconds,
    allowedNetworks: row.allowed_networks,
    expiresAt: row.expires_at,
    revision: row.revision,
    createdByKeyId: row.created_by_key_id,
    updatedByKeyId: row.updated_by_key_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/**
 * Finds the policies that name an issuer, of any organization: those with one of the audiences first, then others, which can only explain
 * a refusal.
 */
export async function findTrustPoliciesByIssuer(
  db: CommonQueryMethods,
  { issuer, audiences }: { issuer: string; audiences: readonly string[] },
): Promise<StoredTrustPolicy[]> {
  const rows = await db.any(sql.type(TrustPolicyRow)`
    SELECT ${COLUMNS} FROM find_trust_policies(${issuer}, ${sql.array([...audiences], "text")})`);
  return rows.map(toPolicy);
}

// Not `sql.jsonb`, whose type takes no unknown values; these came from JSON.
function json(value: object) {
  return sql.fragment`${JSON.stringify(value)}::jsonb`;
}

function networks({ allowedNetworks }: TrustPolicySettings) {
  return allowedNetworks === null ? null : sql.array([...allowedNetworks], "text");
}
