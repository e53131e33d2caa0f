import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import type { EnvironmentSecret } from "@waymark/shared/environments/secrets/schema.ts";

const SecretRow = z.object({
  name: z.string(),
  hosts: z.array(z.string()),
  version: z.number(),
  updated_by_key_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  last_used_at: z.string().nullable(),
});

const SealedSecretRow = z.object({
  name: z.string(),
  version: z.number(),
  hosts: z.array(z.string()),
  ciphertext: z.instanceof(Buffer),
  nonce: z.instanceof(Buffer),
  data_key_id: z.string(),
});
export type SealedSecretRow = z.infer<typeof SealedSecretRow>;

export interface SecretRef {
  organizationId: string;
  /** As the environment's row has it: values are encrypted for it. */
  environmentId: string;
  name: string;
}

type EnvironmentRef = Omit<SecretRef, "name">;

/** All secrets of an environment by name, without values. There are at most 100. */
export async function listSecrets(
  tx: DatabaseTransactionConnection,
  { organizationId, environmentId }: EnvironmentRef,
): Promise<EnvironmentSecret[]> {
  const rows = await tx.any(sql.type(SecretRow)`
    SELECT name, hosts, version, updated_by_key_id, created_at, updated_at, last_used_at
    FROM environment_secrets
    WHERE organization_id = ${organizationId} AND environment_id = ${environmentId}
    ORDER BY name`);
  return rows.map((row) => ({
    name: row.name,
    hosts: row.hosts,
    version: row.version,
    updatedByKeyId: row.updated_by_key_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastUsedAt: row.last_used_at,
  }));
}

/** How many secrets the environment has, and this one's version; null if it is new. */
export async function countSecrets(
  tx: DatabaseTransactionConnection,
  { organizationId, environmentId, name }: SecretRef,
): Promise<{ count: number; version: number | null }> {
  return tx.one(sql.type(z.object({ count: z.number(), version: z.number().nullable() }))`
    SELECT count(*)::int AS count, max(version) FILTER (WHERE name = ${name}) AS version
    FROM environment_secrets
    WHERE organization_id = ${organizationId} AND environment_id = ${environmentId}`);
}

export async function upsertSecret(
  tx: DatabaseTransactionConnection,
  secret: SecretRef & {
    ciphertext: Buffer;
    nonce: Buffer;
    dataKeyId: string;
    hosts: readonly string[];
    version: number;
    keyId: string;
  },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    INSERT INTO environment_secrets (organization_id, environment_id, name, ciphertext, nonce, data_key_id, hosts, version,
                                     updated_by_key_id)
    VALUES (${secret.organizationId}, ${secret.environmentId}, ${secret.name}, ${sql.binary(secret.ciphertext)},
            ${sql.binary(secret.nonce)}, ${secret.dataKeyId}, ${sql.array([...secret.hosts], "text")}, ${secret.version},
            ${secret.keyId})
    ON CONFLICT (organization_id, environment_id, name) DO UPDATE
    SET ciphertext = excluded.ciphertext, nonce = excluded.nonce, data_key_id = excluded.data_key_id,
        hosts = excluded.hosts, version = excluded.version, updated_by_key_id = excluded.updated_by_key_id,
        updated_at = now()`);
}

/** @returns whether there was one */
export async function deleteSecret(
  tx: DatabaseTransactionConnection,
  { organizationId, environmentId, name }: SecretRef,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.type(z.object({}))`
    DELETE FROM environment_secrets
    WHERE organization_id = ${organizationId} AND environment_id = ${environmentId} AND name = ${name}`);
  return rowCount > 0;
}

/** The secrets with these names, encrypted. */
export async function findSealedSecrets(
  tx: DatabaseTransactionConnection,
  { organizationId, environmentId, names }: EnvironmentRef & { names: readonly string[] },
): Promise<readonly SealedSecretRow[]> {
  return tx.any(sql.type(SealedSecretRow)`
    SELECT name, version, hosts, ciphertext, nonce, data_key_id
    FROM environment_secrets
    WHERE organization_id = ${organizationId} AND environment_id = ${environmentId}
      AND name = ANY(${sql.array([...names], "text")})`);
}

/** Records that the secrets were used, except those recorded within the last minute. */
export async function updateSecretsLastUsed(
  tx: DatabaseTransactionConnection,
  { organizationId, environmentId, names }: EnvironmentRef & { names: readonly string[] },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    UPDATE environment_secrets SET last_used_at = now()
    FROM (SELECT s.name FROM environment_secrets s
          WHERE s.organization_id = ${organizationId} AND s.environment_id = ${environmentId}
            AND s.name = ANY(${sql.array([...names], "text")})
            AND (s.last_used_at IS NULL OR s.last_used_at <= now() - interval '1 minute')
          ORDER BY s.name FOR NO KEY UPDATE SKIP LOCKED) due
    WHERE organization_id = ${organizationId} AND environment_id = ${environmentId} AND environment_secrets.name = due.name`);
}
