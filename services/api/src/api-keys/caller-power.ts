import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";

/** A calling key as it is inside the transaction, when it is sure that nobody ends it before the commit. */
export interface CallerPower {
  scopes: Actor["scopes"];
  expiresAt: Date | null;
}

/**
 * What the caller may hand out. A key that was revoked or ended since the request was let in hands out nothing, so
 * that nobody gets another key out of a leaked one while it is being killed.
 *
 * @throws AppError `api_key_revoked` or `api_key_expired`
 */
export function callerPower(caller: ApiKey | undefined): CallerPower {
  if (caller?.status === "active") {
    return {
      scopes: caller.scopes,
      expiresAt: caller.expiresAt === null ? null : new Date(caller.expiresAt),
    };
  }
  if (caller?.status === "expired") {
    throw new AppError("api_key_expired", "This API key has expired. Use another one.");
  }
  throw new AppError("api_key_revoked", "This API key was revoked. Use another one.");
}
