import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { type KeyRing, requireKeyRing } from "@waymark/server/encryption/key-ring.ts";
import { openClientSecret } from "@waymark/server/principals/identity-providers/client-secret.ts";
import {
  findProviderById,
  type StoredProvider,
} from "@waymark/server/principals/identity-providers/queries.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { ClientSettings } from "./provider-client.ts";

/** Finds a provider of any organization. @throws AppError `not_found` */
export async function existingProvider(
  db: DatabasePool,
  identityProviderId: string,
): Promise<StoredProvider> {
  const provider = await findProviderById(db, identityProviderId);
  if (provider !== null) return provider;
  throw new AppError("not_found", "There is no identity provider with this id.");
}

/** Returns the client of a provider, with its secret. @throws AppError `encryption_key_missing` */
export async function openProvider(
  db: DatabasePool,
  keyRing: KeyRing | undefined,
  provider: StoredProvider,
): Promise<ClientSettings> {
  const { organizationId, issuer, clientId, clientSecret } = provider;
  if (clientSecret === null) return { issuer, clientId, clientSecret: undefined };
  const ring = requireKeyRing(keyRing);
  const secret = await withOrganization(db, organizationId, (tx) => openClientSecret(tx, ring, provider));
  return { issuer, clientId, clientSecret: secret };
}
