import type { Pool } from "pg";
import {
  type CommonQueryMethods,
  type DatabaseTransactionConnection,
  type FragmentSqlToken,
  sql,
} from "slonik";
import { z } from "zod";
import { PRINCIPAL_SUMMARY } from "../db/principal-summary.ts";
import {
  type ApiKey,
  ApiKeyScope,
  PrincipalSummary,
  PrincipalType,
} from "@waymark/shared/api-keys/schema.ts";
import { HeldRole } from "@waymark/shared/api-keys/roles/held-role.ts";

export const CheckedKeyRow = z.object({
  organization_id: z.string(),
  id: z.string(),
  secret_hash: z.instanceof(Buffer),
  scopes: z.array(ApiKeyScope),
  allowed_networks: z.array(z.string()).nullable(),
  revoked: z.boolean(),
  expired: z.boolean(),
  disabled: z.boolean(),
  touch_due: z.boolean(),
  first_use: z.boolean(),
  owner_id: z.string().nullable(),
  owner_kind: PrincipalType.nullable(),
  owner_disabled: z.boolean(),
  /** The roles of a user. */
  owner_grants: z.array(HeldRole).nullable(),
});
export type CheckedKeyRow = z.infer<typeof CheckedKeyRow>;

export const CHECKED_COLUMNS = `organization_id, id, secret_hash, scopes, allowed_networks,
                         revoked_at IS NOT NULL AS revoked, disabled_at IS NOT NULL AS disabled,
                         coalesce(expires_at <= now(), false) AS expired,
                         coalesce(last_used_at <= now() - interval '1 minute', true) AS touch_due,
                         coalesce(last_used_at IS NULL AND replaceable_until > now(), false) AS first_use,
                         owner_id, owner_kind, owner_disabled_at IS NOT NULL AS owner_disabled, owner_grants`;

/** Finds the key with this prefix in any organization, with one indexed query. */
export async function findApiKeyByPrefix(pool: Pool, prefix: string): Promise<CheckedKeyRow | undefined> {
  const { rows } = await pool.query({
    name: "find_api_key",
    text: `SELECT ${CHECKED_COLUMNS} FROM find_api_key($1)`,
    values: [prefix],
  });
  return rows[0] === undefined ? undefined : CheckedKeyRow.parse(rows[0]);
}

/** Finds the keys with these prefixes, in the same order. */
export async function findApiKeysByPrefix(
  pool: Pool,
  prefixes: readonly string[],
): Promise<(CheckedKeyRow | undefined)[]> {
  const { rows } = await pool.query<{ prefix: string }>({
    name: "find_api_keys",
    text: `SELECT prefix, ${CHECKED_COLUMNS} FROM find_api_keys($1)`,
    values: [[...new Set(prefixes)]],
  });
  const found = new Map(rows.map((row) => [row.prefix, CheckedKeyRow.parse(row)]));
  return prefixes.map((prefix) => found.get(prefix));
}

/**
 * Records the first use of a key, before anything is done with it. Waits for a transaction that is ending the key.
 *
 * @returns false if the key was revoked
 */
export async function recordFirstUse(
  pool: Pool,
  { organizationId, apiKeyId }: { organizationId: string; apiKeyId: string },
): Promise<boolean> {
  const { rows } = await pool.query<{ recorded: boolean }>({
    name: "record_first_use",
    text: "SELECT record_first_use($1, $2) AS recorded",
    values: [organizationId, apiKeyId],
  });
  return rows[0]?.recorded === true;
}

/** Records in one statement that keys were used, except those recorded within the last minute. */
export async function updateApiKeysLastUsed(
  pool: Pool,
  keys: readonly { organizationId: string; apiKeyId: string }[],
): Promise<void> {
  await pool.query({
    name: "touch_api_keys",
    text: "SELECT touch_api_keys($1, $2)",
    values: [keys.map((key) => key.organizationId), keys.map((key) => key.apiKeyId)],
  });
}

export interface NewApiKey {
  organizationId: string;
  id: string;
  name: string;
  prefix: string;
  secretHash: Buffer;
  ownerPrincipalType: "user" | "service_account" | null;
  ownerPrincipalId: string | null;
  createdBy: string | null;
  scopes: readonly ApiKeyScope[];
  expiresAt: string | null;
  allowedNetworks: readonly string[] | null;
  ownerDisplayName?: string;
  /** The policy that issues it in exchange for a token. */
  trustPolicyId?: string;
  /** True if the request that creates it has an Idempotency-Key, so that a repetition may replace it. */
  isReplaceable?: boolean;
}

export async function insertApiKey(db: CommonQueryMethods, key: NewApiKey): Promise<void> {
  await db.query(sql.type(z.object({}))`
    INSERT INTO api_keys (organization_id, id, name, prefix, secret_hash, owner_principal_type,
                          owner_principal_id, owner_display_name, created_by, trust_policy_id, scopes, expires_at,
                          allowed_networks, replaceable_until)
    VALUES (${key.organizationId}, ${key.id}, ${key.name}, ${key.prefix}, ${sql.binary(key.secretHash)},
            ${key.ownerPrincipalType}, ${key.ownerPrincipalId}, ${key.ownerDisplayName ?? null}, ${key.createdBy},
            ${key.trustPolicyId ?? null},
            ${JSON.stringify(key.scopes)}::jsonb, ${key.expiresAt},
            ${key.allowedNetworks === null ? null : sql.array([...key.allowedNetworks], "text")},
            CASE WHEN ${key.isReplaceable ?? false} THEN now() + interval '24 hours' END)`);
}

const ApiKeyRow = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  owner_principal_type: PrincipalType.nullable(),
  owner_principal_id: z.string().nullable(),
  owner_display_name: z.string().nullable(),
  created_by: z.string().nullable(),
  replaced_by: z.string().nullable(),
  trust_policy_id: z.string().nullable(),
  scopes: z.array(ApiKeyScope),
  expires_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  disabled_at: z.string().nullable(),
  allowed_networks: z.array(z.string()).nullable(),
  created_at: z.string(),
  status: z.enum(["active", "expired", "revoked"]),
});

// The name of an owner that is a principal is its name now. A key of another owner has the name that it was given.
const columnsAt = (time: FragmentSqlToken) => sql.fragment`
  id, name, prefix, owner_principal_type, owner_principal_id,
  coalesce((SELECT p.display_name FROM principals p
            WHERE p.organization_id = api_keys.organization_id AND p.id = api_keys.owner_principal_id),
           owner_display_name) AS owner_display_name, created_by, replaced_by,
  trust_policy_id, scopes,
  expires_at, last_used_at, revoked_at, disabled_at, allowed_networks, created_at,
  CASE WHEN revoked_at IS NOT NULL THEN 'revoked'
       WHEN expires_at <= ${time} THEN 'expired'
       ELSE 'active' END AS status`;
const COLUMNS = columnsAt(sql.fragment`now()`);

/** Conditions that a listed key meets. A null one is met by every key. */
export interface ApiKeyFilter {
  /** The exact name. */
  name: string | null;
  /** A part of the name, in any case. */
  q: string | null;
  status: ApiKey["status"] | null;
  /** The id of the key that created it, or `operator`. */
  createdBy: string | null;
  /** The policy that issued it. If this and `createdBy` are null, issued keys don't match. */
  trustPolicyId: string | null;
  ownerPrincipalId: string | null;
  /** True to leave out revoked keys. */
  isUnrevoked?: boolean;
}

function matches({
  name,
  q,
  status,
  createdBy,
  trustPolicyId,
  ownerPrincipalId,
  isUnrevoked = false,
}: ApiKeyFilter): FragmentSqlToken {
  const conditions = [
    ...(name === null ? [] : [sql.fragment`name = ${name}`]),
    ...(q === null ? [] : [sql.fragment`contains_text(name, ${q})`]),
    ...(isUnrevoked ? [sql.fragment`revoked_at IS NULL`] : []),
    ...(createdBy === null ? [] : [creatorIs(createdBy)]),
    ...(status === null ? [] : [statusIs(status)]),
    ...(trustPolicyId === null ? [] : [sql.fragment`trust_policy_id = ${trustPolicyId}::uuid`]),
    ...(ownerPrincipalId === null ? [] : [sql.fragment`owner_principal_id = ${ownerPrincipalId}::uuid`]),
    ...(trustPolicyId === null && createdBy === null ? [sql.fragment`trust_policy_id IS NULL`] : []),
  ];
  return sql.fragment`${sql.join([sql.fragment`true`, ...conditions], sql.fragment` AND `)}`;
}

function creatorIs(createdBy: string): FragmentSqlToken {
  return createdBy === "operator"
    ? sql.fragment`created_by IS NULL`
    : sql.fragment`created_by = ${createdBy}::uuid`;
}

function statusIs(status: ApiKey["status"]): FragmentSqlToken {
  if (status === "revoked") return sql.fragment`revoked_at IS NOT NULL`;
  const isExpired = sql.fragment`coalesce(expires_at <= now(), false)`;
  return sql.fragment`revoked_at IS NULL AND ${isExpired} = ${status === "expired"}`;
}

/** Lists keys, newest first: up to `limit + 1`, so that the caller sees whether there are more. */
export async function listApiKeys(
  tx: DatabaseTransactionConnection,
  options: { organizationId: string; limit: number; afterId: string | null; filter?: ApiKeyFilter },
): Promise<ApiKey[]> {
  const rows = await tx.any(sql.type(ApiKeyRow)`
    SELECT ${COLUMNS} FROM api_keys
    WHERE organization_id = ${options.organizationId}
      AND (${options.afterId}::uuid IS NULL OR id < ${options.afterId}::uuid)
      AND ${options.filter === undefined ? sql.fragment`true` : matches(options.filter)}
    ORDER BY id DESC
    LIMIT ${options.limit + 1}`);
  return rows.map(toApiKey);
}

export interface ApiKeyRef {
  organizationId: string;
  apiKeyId: string;
}

export async function findApiKey(
  tx: DatabaseTransactionConnection,
  { organizationId, apiKeyId }: ApiKeyRef,
): Promise<ApiKey | null> {
  const row = await tx.maybeOne(sql.type(ApiKeyRow)`
    SELECT ${COLUMNS} FROM api_keys WHERE organization_id = ${organizationId} AND id = ${apiKeyId}`);
  return row === null ? null : toApiKey(row);
}

/**
 * Reads keys and locks them, so that nobody else revokes or changes them until the transaction ends. It locks in the
 * order of their ids, so that two callers can't deadlock. The lock is exclusive: with a shared lock, a key in constant
 * use could delay its own revocation without end.
 */
export async function lockApiKeys(
  tx: DatabaseTransactionConnection,
  { organizationId, apiKeyIds }: { organizationId: string; apiKeyIds: readonly string[] },
): Promise<Map<string, ApiKey>> {
  // now() is the beginning of the transaction: a key that was ended while this one waited for its lock would still be active.
  const columns = columnsAt(sql.fragment`clock_timestamp()`);
  const rows = await tx.any(sql.type(ApiKeyRow)`
    SELECT ${columns} FROM api_keys
    WHERE organization_id = ${organizationId} AND id = ANY(${sql.array([...apiKeyIds], "uuid")})
    ORDER BY id
    FOR NO KEY UPDATE`);
  return new Map(rows.map((row) => [row.id, toApiKey(row)]));
}

/** Finds a key by id or prefix in any organization. Only the database's owner may do that. */
export async function locateApiKey(db: CommonQueryMethods, idOrPrefix: string): Promise<ApiKeyRef | null> {
  const row = await db.maybeOne(sql.type(z.object({ organization_id: z.string(), id: z.string() }))`
    SELECT organization_id, id FROM api_keys WHERE prefix = ${idOrPrefix} OR id::text = lower(${idOrPrefix})`);
  return row === null ? null : { organizationId: row.organization_id, apiKeyId: row.id };
}

/** Records a key's successor, and lets the key expire after the grace period, unless it expires earlier anyway. */
export async function replaceApiKey(
  tx: DatabaseTransactionConnection,
  { organizationId, apiKeyId, ...terms }: ApiKeyRef & { replacedBy: string; graceSeconds: number },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    UPDATE api_keys
    SET replaced_by = ${terms.replacedBy},
        expires_at = least(expires_at, now() + ${terms.graceSeconds} * interval '1 second')
    WHERE organization_id = ${organizationId} AND id = ${apiKeyId}`);
}

function toApiKey(row: z.infer<typeof ApiKeyRow>): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    ownerPrincipalType: row.owner_principal_type,
    ownerPrincipalId: row.owner_principal_id,
    ownerDisplayName: row.owner_display_name,
    createdBy: row.created_by,
    replacedBy: row.replaced_by,
    trustPolicyId: row.trust_policy_id,
    scopes: row.scopes,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
    disabledAt: row.disabled_at,
    allowedNetworks: row.allowed_networks,
    createdAt: row.created_at,
    status: row.status,
  };
}

const KeyNames = z.object({
  apiKeyName: z.string(),
  organizationName: z.string(),
  principal: PrincipalSummary.nullable(),
  email: z.string().nullable(),
});

/** The names of a key, its owner and its organization, to show who is signed in. */
export async function findKeyNames(
  db: DatabaseTransactionConnection,
  { organizationId, apiKeyId }: { organizationId: string; apiKeyId: string },
): Promise<z.infer<typeof KeyNames>> {
  return db.one(sql.type(KeyNames)`
    SELECT k.name AS "apiKeyName", o.name AS "organizationName", ${PRINCIPAL_SUMMARY} AS principal, p.email
    FROM api_keys k
    JOIN organizations o ON o.id = k.organization_id
    LEFT JOIN principals p ON p.organization_id = k.organization_id AND p.id = k.owner_principal_id
    WHERE k.organization_id = ${organizationId} AND k.id = ${apiKeyId}`);
}

/** The names of keys by their ids. */
export async function listKeyNames(
  db: DatabaseTransactionConnection,
  { organizationId, apiKeyIds }: { organizationId: string; apiKeyIds: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.any(sql.type(z.object({ id: z.string(), name: z.string() }))`
    SELECT id, name
    FROM api_keys
    WHERE organization_id = ${organizationId} AND id = ANY(${sql.array([...apiKeyIds], "uuid")})`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
