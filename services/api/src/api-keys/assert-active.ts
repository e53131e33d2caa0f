import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";

/**
 * @param done the intended action as a participle, such as `rotated`
 * @throws AppError `not_found`, or `api_key_not_active` for an expired or revoked key
 */
export function assertActive(key: ApiKey | undefined, done: string): asserts key is ApiKey {
  if (key === undefined) throw new AppError("not_found", "There is no API key with this id.");
  if (key.status === "active") return;
  throw new AppError(
    "api_key_not_active",
    `This API key is ${key.status} and can't be ${done}. Create a new one instead.`,
  );
}
