import { createKey } from "@waymark/server/api-keys/create-key.ts";
import { EVERY_PERMISSION } from "@waymark/shared/api-keys/schema.ts";
import { insertAuditEvent, OPERATOR } from "@waymark/server/audit/queries.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { insertOrganization } from "@waymark/server/organizations/queries.ts";
import { v7 as uuidv7 } from "uuid";

/**
 * Creates an organization with its first key, which has full access.
 *
 * @param db a pool of the database's owner, because no key exists yet
 * @returns the raw key, which is not stored and can't be shown again
 */
export async function createOrganization(
  db: DatabasePool,
  { name }: { name: string },
): Promise<{ organizationId: string; apiKey: string }> {
  const organizationId = uuidv7();
  return db.transaction(async (tx) => {
    await insertOrganization(tx, { id: organizationId, name });
    await insertAuditEvent(tx, {
      ...OPERATOR,
      id: uuidv7(),
      organizationId,
      apiKeyId: null,
      action: "organization.created",
      details: { name },
    });
    const { apiKey, rawKey } = await createKey(tx, {
      organizationId,
      id: uuidv7(),
      name: "First key",
      ownerPrincipalType: "service_account",
      ownerPrincipalId: null,
      createdBy: null,
      scopes: [{ permission: EVERY_PERMISSION }],
      expiresAt: null,
      allowedNetworks: null,
    });
    await insertAuditEvent(tx, {
      ...OPERATOR,
      id: uuidv7(),
      organizationId,
      apiKeyId: apiKey.id,
      action: "api_key.created",
      details: { name: apiKey.name, permissions: [EVERY_PERMISSION] },
    });
    return { organizationId, apiKey: rawKey };
  });
}
