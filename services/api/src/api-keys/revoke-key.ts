import { findApiKey, revokeApiKey } from "@waymark/shared/api-keys/queries.ts";
import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { type AuditOrigin, insertAuditEvent } from "@waymark/shared/audit/queries.ts";
import { withOrganization } from "@waymark/shared/db/organization.ts";
import type { DatabasePool } from "@waymark/shared/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { v7 as uuidv7 } from "uuid";

/**
 * Revokes a key for good. Doing it twice answers the same and is recorded once. The caller has been authorized.
 *
 * @throws AppError `not_found`
 */
export async function revokeKey(
  db: DatabasePool,
  options: { organizationId: string; apiKeyId: string; origin: AuditOrigin },
): Promise<ApiKey> {
  const { organizationId, apiKeyId, origin } = options;
  return withOrganization(db, organizationId, async (tx) => {
    const revokedNow = await revokeApiKey(tx, { organizationId, apiKeyId });
    const apiKey = await findApiKey(tx, { organizationId, apiKeyId });
    if (apiKey === null) throw new AppError("not_found", "There is no API key with this id.");
    if (revokedNow) {
      await insertAuditEvent(tx, {
        id: uuidv7(),
        organizationId,
        apiKeyId: apiKey.id,
        action: "api_key.revoked",
        ...origin,
      });
    }
    return apiKey;
  });
}
