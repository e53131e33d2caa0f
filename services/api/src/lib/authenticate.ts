import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import type { IdentifiedKey, KeyCheck, KeyChecks } from "@waymark/shared/api-keys/check-key.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { limitedAddress } from "./limits/client-address.ts";
import { createRecentKeys } from "./limits/recent-keys.ts";
import type { KeyLimitName, RequestLimits } from "./limits/request-limits.ts";
import { isFromOwnPage, type OpenSession, type Sessions } from "./sessions.ts";
import type { KeyToucher } from "./touch-keys.ts";

declare module "fastify" {
  interface FastifyRequest {
    actor: Actor | null;
    /** The key of this request once its secret has matched, also when it may no longer be used. */
    identifiedKey: IdentifiedKey | null;
    /** The console's session, when the request came with its cookie instead of a key. */
    session: OpenSession | null;
  }
  interface FastifyContextConfig {
    /** The limit per key that this route counts towards. Default: `default`. */
    keyLimit?: KeyLimitName;
  }
}

/** A hook for `onRequest`: it runs before the body is read, so that a stranger's body is never parsed. */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

const BEARER = /^bearer +(\S+) *$/i;

/** @throws AppError `missing_credentials`, `rate_limited`, or what is wrong with the key */
export function createAuthenticate(dependencies: {
  keyChecks: KeyChecks;
  limits: RequestLimits;
  toucher: KeyToucher;
  sessions: Sessions;
}): Authenticate {
  const { keyChecks, limits, toucher, sessions } = dependencies;
  const recentKeys = createRecentKeys();

  async function checkSession(request: FastifyRequest, session: OpenSession): Promise<KeyCheck> {
    if (!isFromOwnPage(request)) {
      throw new AppError(
        "permission_denied",
        "The console's cookie works from the console's own pages only.",
      );
    }
    request.session = session;
    return keyChecks.checkSessionKey(session, request.ip);
  }

  return async (request, reply) => {
    const address = limitedAddress(request.ip);
    const { authorization } = request.headers;
    const session = authorization === undefined ? await sessions.read(request) : null;
    const credentials = readCredentials(authorization);
    // Before any query. A fleet behind one address is not locked out by the one of them that has a wrong key.
    const isRecent =
      session !== null || (credentials.rawKey !== undefined && recentKeys.has(credentials.rawKey));
    if (!isRecent) await limits.assertAddressMayTry(address, reply);
    if (session === null && credentials.rawKey === undefined) {
      await limits.noteFailure(address);
      throw credentials.error;
    }

    const check =
      session === null
        ? await keyChecks.checkApiKey(credentials.rawKey ?? "", request.ip)
        : await checkSession(request, session);
    const countRequest = (key: IdentifiedKey) =>
      limits.countRequest(request.routeOptions.config.keyLimit ?? "default", key.apiKeyId, reply);
    if (!check.ok) {
      request.identifiedKey = check.key;
      if (credentials.rawKey !== undefined) recentKeys.forget(credentials.rawKey);
      // Who knows a dead key's secret guesses nothing: that counts against the key, and a fleet whose key has expired
      // does not lock out its neighbours.
      if (check.key === null) await limits.noteFailure(address);
      else await countRequest(check.key);
      throw check.error;
    }
    if (credentials.rawKey !== undefined) recentKeys.add(credentials.rawKey);
    request.actor = check.actor;
    request.identifiedKey = check.actor;
    if (check.touchDue) toucher.touch(check.actor);
    await countRequest(check.actor);
  };
}

function readCredentials(
  header: string | undefined,
): { rawKey: string } | { rawKey: undefined; error: AppError } {
  if (header === undefined) {
    const message = "An API key is required: send Authorization: Bearer <API_KEY>.";
    return { rawKey: undefined, error: new AppError("missing_credentials", message) };
  }
  const rawKey = BEARER.exec(header)?.[1];
  if (rawKey !== undefined) return { rawKey };
  const message = "The Authorization header must be: Bearer <API_KEY>.";
  return { rawKey: undefined, error: new AppError("missing_credentials", message) };
}

/** The actor of an authenticated route. */
export function actorOf(request: FastifyRequest): Actor {
  if (request.actor === null) throw new Error("this route does not authenticate");
  return request.actor;
}
