import type { DatabaseTransactionConnection } from "../../db/pool.ts";
import { currentDataKey, openDataKeys } from "../../encryption/data-keys.ts";
import type { KeyRing } from "../../encryption/key-ring.ts";
import { seal, type SealedFor, unseal, UnsealError } from "../../encryption/seal.ts";
import {
  findSealedSecrets,
  type SealedSecretRow,
  type SecretRef,
  updateSecretsLastUsed,
  upsertSecret,
} from "./queries.ts";

/** A secret's value, and the only hosts that it may be sent to, as patterns. */
export interface OpenedSecret {
  value: string;
  hosts: string[];
}

/**
 * Encrypts a value and stores it. Lock the environment first.
 *
 * @throws AppError `encryption_key_missing`
 */
export async function storeSecret(
  tx: DatabaseTransactionConnection,
  ring: KeyRing,
  secret: SecretRef & { value: string; hosts: readonly string[]; version: number; keyId: string },
): Promise<void> {
  const { id: dataKeyId, key } = await currentDataKey(tx, ring, secret.organizationId);
  const sealed = seal(key, Buffer.from(secret.value, "utf8"), sealedFor(secret, secret));
  await upsertSecret(tx, { ...secret, ...sealed, dataKeyId });
}

/**
 * Decrypts secrets of one environment and records their use. Names without a secret are missing in the result.
 *
 * @throws AppError `encryption_key_missing`, or Error that names a secret whose row was changed
 */
export async function openSecrets(
  tx: DatabaseTransactionConnection,
  ring: KeyRing,
  secrets: NamedSecrets,
): Promise<Map<string, OpenedSecret>> {
  const opened = await decryptSecrets(tx, ring, secrets);
  if (opened.size > 0) await updateSecretsLastUsed(tx, { ...secrets, names: [...opened.keys()] });
  return opened;
}

/** The values to search a text for: that is no use of them. @throws as `openSecrets` */
export async function secretsToRedact(
  tx: DatabaseTransactionConnection,
  ring: KeyRing,
  secrets: NamedSecrets,
): Promise<string[]> {
  return [...(await decryptSecrets(tx, ring, secrets)).values()].map(({ value }) => value);
}

type NamedSecrets = Omit<SecretRef, "name"> & { names: readonly string[] };

async function decryptSecrets(
  tx: DatabaseTransactionConnection,
  ring: KeyRing,
  { names, ...environment }: NamedSecrets,
): Promise<Map<string, OpenedSecret>> {
  const { organizationId } = environment;
  const rows = await findSealedSecrets(tx, { ...environment, names });
  const keys = await openDataKeys(tx, ring, { organizationId, ids: rows.map((row) => row.data_key_id) });
  const opened = new Map<string, OpenedSecret>();
  for (const row of rows) {
    const key = keys.get(row.data_key_id);
    if (key === undefined) throw unreadable(row);
    const identity = sealedFor({ ...environment, name: row.name }, row);
    try {
      opened.set(row.name, { value: unseal(key, row, identity).toString("utf8"), hosts: row.hosts });
    } catch (error) {
      throw error instanceof UnsealError ? unreadable(row, error) : error;
    }
  }
  return opened;
}

/** With the hosts: whoever can write to the database can't lead a value to another host. */
function sealedFor(
  { organizationId, environmentId, name }: SecretRef,
  { version, hosts }: { version: number; hosts: readonly string[] },
): SealedFor {
  return ["secret", organizationId.toLowerCase(), environmentId.toLowerCase(), name, version, ...hosts];
}

function unreadable({ name }: SealedSecretRow, cause?: unknown): Error {
  return new Error(
    `The secret ${name} can't be decrypted: its row was changed by something other than Waymark. Set it again.`,
    { cause },
  );
}
