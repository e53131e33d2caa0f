import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { checkApiKey } from "@waymark/shared/api-keys/check-key.ts";
import type { HotPool } from "@waymark/shared/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    actor: Actor | null;
  }
}

const BEARER = /^bearer +(\S+) *$/i;

/**
 * A hook for `onRequest`: it runs before the body is read, so that a stranger's body is never parsed.
 *
 * @throws AppError `missing_credentials`, or what `checkApiKey` throws
 */
export function createAuthenticate(pool: HotPool): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const header = request.headers.authorization;
    if (header === undefined) {
      throw new AppError(
        "missing_credentials",
        "An API key is required: send Authorization: Bearer <API_KEY>.",
      );
    }
    const rawKey = BEARER.exec(header)?.[1];
    if (rawKey === undefined) {
      throw new AppError("missing_credentials", "The Authorization header must be: Bearer <API_KEY>.");
    }
    request.actor = await checkApiKey(pool, rawKey);
  };
}

/** The actor of an authenticated route. */
export function actorOf(request: FastifyRequest): Actor {
  if (request.actor === null) throw new Error("this route does not authenticate");
  return request.actor;
}
