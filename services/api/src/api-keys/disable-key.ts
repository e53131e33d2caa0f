import { type Actor, authorize } from "@waymark/shared/api-keys/authorize.ts";
import { assertFullAccessRemains } from "@waymark/server/api-keys/revocation/full-access.ts";
import { lockKeyChanges, setApiKeyDisabled } from "@waymark/server/api-keys/revocation/queries.ts";
import { assertCanRevoke, assertCanGrant } from "@waymark/server/api-keys/delegation.ts";
import { findApiKey, lockApiKeys } from "@waymark/server/api-keys/queries.ts";
import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { type AuditOrigin, insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { v7 as uuidv7 } from "uuid";
import { assertActive } from "./assert-active.ts";
import { callerGrant, grantOf } from "../lib/caller-grant.ts";
import { grantToOwner } from "./owner.ts";

/**
 * Disables or enables a key. Disabling needs the same permissions as revoking it, enabling the same as creating it.
 * Idempotent: a repetition gets the same response and isn't recorded again.
 *
 * @throws AppError `permission_denied`, `not_found`, `last_full_access_key`, or `api_key_not_active` for an expired or
 * revoked key
 */
export async function setKeyDisabledAs(
  db: DatabasePool,
  options: { actor: Actor; apiKeyId: string; disabled: boolean; origin: AuditOrigin },
): Promise<ApiKey> {
  const { actor, disabled, origin } = options;
  const { organizationId } = actor;
  const apiKeyId = options.apiKeyId.toLowerCase();
  authorize(actor, disabled ? "api-keys:revoke" : "api-keys:create", {
    resourceType: "api_key",
    resourceId: apiKeyId,
  });

  return withOrganization(db, organizationId, async (tx) => {
    await lockKeyChanges(tx, organizationId, "exclusive");
    const keys = await lockApiKeys(tx, { organizationId, apiKeyIds: [actor.apiKeyId, apiKeyId] });
    const caller = keys.get(actor.apiKeyId);
    const target = keys.get(apiKeyId);
    const holder = disabled
      ? await callerGrant(tx, organizationId, caller)
      : await grantToOwner(tx, { actor, caller, owner: target ?? {} });
    assertActive(target, disabled ? "disabled" : "enabled");
    if (disabled) {
      assertCanRevoke(holder, target);
      await assertFullAccessRemains(tx, { organizationId, endingIds: [apiKeyId] });
    } else {
      assertCanGrant(holder, grantOf(target));
    }
    if (await setApiKeyDisabled(tx, { organizationId, apiKeyId, disabled })) {
      const action = disabled ? "api_key.disabled" : "api_key.enabled";
      await insertAuditEvent(tx, { id: uuidv7(), organizationId, apiKeyId, action, ...origin });
    }
    const apiKey = await findApiKey(tx, { organizationId, apiKeyId });
    if (apiKey === null) throw new AppError("not_found", "There is no API key with this id.");
    return apiKey;
  });
}
