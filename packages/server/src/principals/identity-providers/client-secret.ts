import type { DatabaseTransactionConnection } from "../../db/pool.ts";
import { currentDataKey, openDataKeys } from "../../encryption/data-keys.ts";
import type { KeyRing } from "../../encryption/key-ring.ts";
import { seal, type SealedFor, unseal } from "../../encryption/seal.ts";
import type { ProviderRef, SealedClientSecret, StoredProvider } from "./queries.ts";

/** Encrypts a client secret. @throws AppError `encryption_key_missing` */
export async function sealClientSecret(
  tx: DatabaseTransactionConnection,
  ring: KeyRing,
  { value, ...provider }: ProviderRef & { issuer: string; value: string },
): Promise<SealedClientSecret> {
  const { id: dataKeyId, key } = await currentDataKey(tx, ring, provider.organizationId);
  return { ...seal(key, Buffer.from(value, "utf8"), sealedFor(provider)), dataKeyId };
}

/**
 * Decrypts the client secret of a provider that has one.
 *
 * @throws AppError `encryption_key_missing`, or UnsealError if the row was changed by something else
 */
export async function openClientSecret(
  tx: DatabaseTransactionConnection,
  ring: KeyRing,
  provider: StoredProvider,
): Promise<string> {
  const {
    organizationId,
    id: identityProviderId,
    issuer,
    clientSecret,
    clientSecretNonce,
    clientSecretKeyId,
  } = provider;
  if (clientSecret === null || clientSecretNonce === null || clientSecretKeyId === null)
    throw new Error("a public client has no secret");
  const keys = await openDataKeys(tx, ring, { organizationId, ids: [clientSecretKeyId] });
  const key = keys.get(clientSecretKeyId);
  if (key === undefined) throw new Error("the data key of a client secret is missing");
  const sealed = { ciphertext: clientSecret, nonce: clientSecretNonce };
  return unseal(key, sealed, sealedFor({ organizationId, identityProviderId, issuer })).toString("utf8");
}

/** With the issuer: whoever can write to the database can't have a secret sent to another one. */
function sealedFor({
  organizationId,
  identityProviderId,
  issuer,
}: ProviderRef & { issuer: string }): SealedFor {
  return ["client-secret", organizationId.toLowerCase(), identityProviderId.toLowerCase(), issuer];
}
