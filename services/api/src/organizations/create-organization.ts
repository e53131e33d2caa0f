import type { DatabasePool } from "@waymark/shared/db/pool.ts";
import { v7 as uuidv7 } from "uuid";
import { generateApiKey } from "@waymark/shared/api-keys/key-format.ts";
import { insertApiKey } from "@waymark/shared/api-keys/queries.ts";
import { EVERY_PERMISSION } from "@waymark/shared/api-keys/schema.ts";
import { insertOrganization } from "@waymark/shared/organizations/queries.ts";

/**
 * Creates an organization with its first key, which may do everything in it.
 *
 * @param db a pool of the database's owner: no key exists yet that could ask for this
 * @returns the raw key, which is stored nowhere and can't be shown again
 */
export async function createOrganization(
  db: DatabasePool,
  { name }: { name: string },
): Promise<{ organizationId: string; apiKey: string }> {
  const organizationId = uuidv7();
  const { rawKey, prefix, secretHash } = generateApiKey();
  await db.transaction(async (transaction) => {
    await insertOrganization(transaction, { id: organizationId, name });
    await insertApiKey(transaction, {
      organizationId,
      id: uuidv7(),
      name: "First key",
      prefix,
      secretHash,
      ownerPrincipalType: "service_account",
      ownerPrincipalId: null,
      createdBy: null,
      scopes: [{ permission: EVERY_PERMISSION }],
      expiresAt: null,
    });
  });
  return { organizationId, apiKey: rawKey };
}
