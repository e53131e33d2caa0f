import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";

/** Returns the user of the calling key. @throws AppError `user_required` */
export function userOf({ userId }: Actor): string {
  if (userId !== undefined) return userId;
  throw new AppError(
    "user_required",
    "This is kept for each user, and this API key belongs to none. Use a personal key, or sign in with one.",
  );
}
