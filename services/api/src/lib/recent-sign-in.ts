import { AppError } from "@waymark/shared/errors/app-error.ts";
import { SIGN_IN_LIMITS } from "@waymark/shared/principals/sign-in/schema.ts";
import type { FastifyRequest } from "fastify";

/**
 * Checks that the request's session signed in lately, so that a browser that was left open can't do the greatest harm. Requests with a key
 * pass: whoever has the key can sign in with it.
 *
 * @throws AppError `recent_sign_in_required`
 */
export async function assertRecentSignIn({ session }: Pick<FastifyRequest, "session">): Promise<void> {
  if (session === null || session.isRecent) return;
  throw new AppError(
    "recent_sign_in_required",
    `You signed in more than ${SIGN_IN_LIMITS.recentMinutes} minutes ago, and this needs a recent sign-in. Sign in again.`,
  );
}
