import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import type { ApiKeyRef } from "../queries.ts";

// What ends keys, and what must be known before.

const Nothing = z.object({});

interface ApiKeyAddresses {
  organizationId: string;
  apiKeyIds: readonly string[];
}

/**
 * Keeps changes of an organization's keys apart until the transaction ends: whoever makes keys shares the lock, and
 * whoever ends them has it alone. So no key is made by one that is being revoked, and two keys that revoke one another
 * take turns. Take it before any row's lock.
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

/** A key and all that it made, and those that they made. The key itself comes first, the others by their age. */
export async function findApiKeyFamily(
  tx: DatabaseTransactionConnection,
  { organizationId, apiKeyId }: ApiKeyRef,
): Promise<string[]> {
  // Each level is looked up by key, whatever the statistics say: where most keys have one maker, a plan reads all of
  // them at each level, and a thief's chain of 5,000 keys took longer than a statement may; now the whole request takes 1 s.
  await tx.query(sql.type(Nothing)`SET LOCAL enable_seqscan = off`);
  // UNION drops what was found before, so that no loop in the data can keep this running.
  const rows = await tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    WITH RECURSIVE family (id) AS (
      SELECT ${apiKeyId}::uuid
      UNION
      SELECT child.id
      FROM family f
      CROSS JOIN LATERAL (
        SELECT k.id FROM api_keys k
        WHERE k.organization_id = ${organizationId} AND k.created_by = f.id AND k.created_by IS NOT NULL
        OFFSET 0
      ) child
    )
    SELECT id FROM family ORDER BY id <> ${apiKeyId}::uuid, id`);
  await tx.query(sql.type(Nothing)`SET LOCAL enable_seqscan TO DEFAULT`);
  return [...rows];
}

/** Revokes keys for good. Those that are revoked already keep their time. @returns those revoked now, by their age */
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

/** @returns whether the key changed: it was not disabled, or not enabled, before */
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
 * The usable keys that hold `*` without any constraint: of those named, or of all others. The strongest come first,
 * and at most 1,000. A key is `lasting` when it is usable for another day.
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
      AND EXISTS (
        SELECT FROM jsonb_array_elements(scopes) AS scope
        WHERE scope ->> 'permission' = '*'
          AND coalesce(scope -> 'resourceConstraints', '{}') = '{}'
          AND jsonb_strip_nulls(scope) - '{id,permission,resourceConstraints}'::text[] = '{}')
    ORDER BY allowed_networks IS NOT NULL, expires_at DESC NULLS FIRST
    LIMIT ${FULL_ACCESS_KEYS_MAX}`);
}
