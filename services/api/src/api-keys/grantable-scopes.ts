import type { KeyGrant } from "@waymark/shared/api-keys/delegation.ts";
import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";

/**
 * What the caller may hand out or end, read when it is sure that nobody ends the caller before the commit. A key that was revoked or ended since the request was let in hands out nothing, so
 * that nobody gets another key out of a leaked one while it is being killed, and two keys can't end one another.
 *
 * @throws AppError `api_key_revoked`, `api_key_expired` or `api_key_disabled`
 */
export function grantableScopes(caller: ApiKey | undefined): KeyGrant {
  if (caller?.status === "active") {
    if (caller.disabledAt === null) return grantOf(caller);
    throw new AppError(
      "api_key_disabled",
      "This API key is disabled. Ask for it to be enabled, or use another one.",
    );
  }
  if (caller?.status === "expired") {
    throw new AppError("api_key_expired", "This API key has expired. Use another one.");
  }
  throw new AppError("api_key_revoked", "This API key was revoked. Use another one.");
}

/** What a key holds, as the rules of delegation compare it. */
export function grantOf({ scopes, expiresAt, allowedNetworks }: ApiKey): KeyGrant {
  return { scopes, expiresAt: expiresAt === null ? null : new Date(expiresAt), allowedNetworks };
}
