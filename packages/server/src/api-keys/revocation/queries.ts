import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import type { ApiKeyRef } from "../queries.ts";

// Revoking and disabling keys, and the checks before.

const Nothing = z.object({});

interface ApiKeyAddresses {
  organizationId: string;
  apiKeyIds: readonly string[];
}

/**
 * Locks an organization's keys until the transaction ends: creating keys takes a shared lock, revoking them an exclusive
 * one. So a key that is being revoked can't create another, and two keys that revoke each other do so one after the
 * other. Take this lock before any row lock.
 */
export async function lockKeyChanges(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  mode: "shared" | "exclusive",
): Promise<void> {
  const id = sql.fragment`hashtextextended(${`api_keys ${organizationId}`}, 0)`;
  const lock =
    mode === "shared"
      ? sql.fragment`pg_advisory_xact_lock_shared(${id})`
      : sql.fragment`pg_advisory_xact_lock(${id})`;
  await tx.query(sql.type(z.object({ locked: z.string() }))`SELECT ${lock}::text AS locked`);
}

/** Keys, the keys that they created, and those that these created. The given ones come first, the others by age. */
export async function findApiKeyFamily(
  tx: DatabaseTransactionConnection,
  { organizationId, apiKeyIds }: ApiKeyAddresses,
): Promise<string[]> {
  const given = sql.array([...apiKeyIds], "uuid");
  // Each level uses the index, whatever the statistics say. Where most keys have one creator, the planner's choice would
  // read all keys at each level: a chain of 5,000 keys exceeded the statement's time limit; now the request takes 1 s.
  await tx.query(sql.type(Nothing)`SET LOCAL enable_seqscan = off`);
  // UNION drops known rows, so that a cycle in the data can't run forever.
  const rows = await tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    WITH RECURSIVE family (id) AS (
      SELECT unnest(${given})
      UNION
      SELECT child.id
      FROM family f
      CROSS JOIN LATERAL (
        SELECT k.id FROM api_keys k
        WHERE k.organization_id = ${organizationId} AND k.created_by = f.id AND k.created_by IS NOT NULL
        OFFSET 0
      ) child
    )
    SELECT id FROM family ORDER BY id <> ALL(${given}), id`);
  await tx.query(sql.type(Nothing)`SET LOCAL enable_seqscan TO DEFAULT`);
  return [...rows];
}

/** Revokes keys. Keys that are revoked already keep their time. @returns the newly revoked ones, by age */
export async function revokeApiKeys(
  tx: DatabaseTransactionConnection,
  { organizationId, apiKeyIds }: ApiKeyAddresses,
): Promise<string[]> {
  const rows = await tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    UPDATE api_keys SET revoked_at = now()
    WHERE organization_id = ${organizationId} AND id = ANY(${sql.array([...apiKeyIds], "uuid")})
      AND revoked_at IS NULL
    RETURNING id`);
  return rows.toSorted();
}

/** @returns whether the state changed */
export async function setApiKeyDisabled(
  tx: DatabaseTransactionConnection,
  { organizationId, apiKeyId, disabled }: ApiKeyRef & { disabled: boolean },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.type(Nothing)`
    UPDATE api_keys SET disabled_at = CASE WHEN ${disabled} THEN now() END
    WHERE organization_id = ${organizationId} AND id = ${apiKeyId} AND (disabled_at IS NULL) = ${disabled}`);
  return rowCount > 0;
}

const FullAccessKey = z.object({
  id: z.string(),
  expires_at: z.string().nullable(),
  allowed_networks: z.array(z.string()).nullable(),
  lasting: z.boolean(),
});
export type FullAccessKey = z.infer<typeof FullAccessKey>;

const FULL_ACCESS_KEYS_MAX = 1_000;

/**
 * The usable keys with an unconstrained `*`: among the named keys, or among all others. At most 1,000, the strongest
 * first. A key is `lasting` if it is valid for at least another day. A user's key never counts: it has what its user may do.
 */
export async function findFullAccessKeys(
  tx: DatabaseTransactionConnection,
  { organizationId, apiKeyIds, named }: ApiKeyAddresses & { named: boolean },
): Promise<readonly FullAccessKey[]> {
  return tx.any(sql.type(FullAccessKey)`
    SELECT id, expires_at, allowed_networks,
           coalesce(expires_at > now() + interval '24 hours', true) AS lasting
    FROM api_keys
    WHERE organization_id = ${organizationId}
      -- In the words of the index api_keys_full_access.
      AND revoked_at IS NULL AND scopes @> '[{"permission": "*"}]'
      AND disabled_at IS NULL AND (expires_at IS NULL OR expires_at > now())
      AND (id = ANY(${sql.array([...apiKeyIds], "uuid")})) = ${named}
      AND NOT EXISTS (
        SELECT FROM principals p
        WHERE p.organization_id = api_keys.organization_id AND p.id = api_keys.owner_principal_id
          AND (p.kind = 'user' OR p.disabled_at IS NOT NULL))
      AND EXISTS (
        SELECT FROM jsonb_array_elements(scopes) AS scope
        WHERE scope ->> 'permission' = '*'
          AND coalesce(scope -> 'resourceConstraints', '{}') = '{}'
          AND jsonb_strip_nulls(scope) - '{id,permission,resourceConstraints}'::text[] = '{}')
    ORDER BY allowed_networks IS NOT NULL, expires_at DESC NULLS FIRST
    LIMIT ${FULL_ACCESS_KEYS_MAX}`);
}
