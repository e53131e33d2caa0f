import type { KeyGrant } from "@waymark/server/api-keys/delegation.ts";
import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";

/**
 * Returns the scopes that the caller can grant or revoke. Call it while the caller's row is locked. A caller that was
 * revoked or has expired since its request was authenticated can grant nothing: a leaked key that is being revoked
 * can't create another, and two keys can't revoke each other.
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

/** The properties of a key that the delegation rules compare. */
export function grantOf({ scopes, expiresAt, allowedNetworks }: ApiKey): KeyGrant {
  return { scopes, expiresAt: expiresAt === null ? null : new Date(expiresAt), allowedNetworks };
}
