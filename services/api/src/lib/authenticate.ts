import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import type { IdentifiedKey, KeyCheck, KeyChecks } from "@waymark/shared/api-keys/check-key.ts";
import type { OpenSession } from "@waymark/shared/api-keys/sessions/sessions.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { rateLimitAddress } from "./limits/client-address.ts";
import { createRecentKeys } from "./limits/recent-keys.ts";
import type { RequestLimits, RouteLimits } from "./limits/request-limits.ts";
import type { Sessions } from "./sessions.ts";
import type { LastUsedRecorder } from "./last-used-recorder.ts";

declare module "fastify" {
  interface FastifyRequest {
    actor: Actor | null;
    /** The key of this request once its secret has matched, also when it may no longer be used. */
    identifiedKey: IdentifiedKey | null;
    /** The console's session, when the request came with its cookie instead of a key. */
    session: OpenSession | null;
    /** Where only refused requests are limited: counts this one, and throws when there were too many. */
    countRefusal: (() => Promise<void>) | null;
  }
  interface FastifyContextConfig {
    /** The limits that this route's requests count towards. Default: `default`. */
    limits?: RouteLimits;
  }
}

/** A hook for `onRequest`: it runs before the body is read, so that a stranger's body is never parsed. */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

const BEARER = /^bearer +(\S+) *$/i;

/** @throws AppError `missing_credentials`, `rate_limited`, or what is wrong with the key */
export function createAuthenticate(dependencies: {
  keyChecks: KeyChecks;
  limits: RequestLimits;
  lastUsedRecorder: LastUsedRecorder<IdentifiedKey>;
  sessions: Sessions;
}): Authenticate {
  const { keyChecks, limits, lastUsedRecorder, sessions } = dependencies;
  const recentKeys = createRecentKeys();

  async function checkCredentials(
    request: FastifyRequest,
    { kind, secret }: { kind: "key" | "session"; secret: string },
  ): Promise<KeyCheck> {
    if (kind === "key") return keyChecks.checkApiKey(secret, request.ip);
    const check = await sessions.check(request, secret);
    if (check.ok) request.session = check.session;
    return check;
  }

  return async (request, reply) => {
    const address = rateLimitAddress(request.ip);
    const credentials = readCredentials(request, sessions);
    // Before any query. A fleet behind one address is not locked out by the one of them that has a wrong key.
    const isRecent = credentials.kind !== "none" && recentKeys.has(credentials.secret);
    if (!isRecent) await limits.assertAddressMayTry(address, reply);
    if (credentials.kind === "none") {
      await limits.noteFailure(address);
      throw credentials.error;
    }

    const check = await checkCredentials(request, credentials);
    if (!check.ok) {
      request.identifiedKey = check.key;
      recentKeys.forget(credentials.secret);
      // Who knows a dead key's secret guesses nothing: that counts against the key, and a fleet whose key has expired
      // does not lock out its neighbours. Whatever the route: a dead key may do nothing on any.
      if (check.key === null) await limits.noteFailure(address);
      else await limits.countRefused(check.key, reply).catch(sayingWhy(check.error));
      throw check.error;
    }
    recentKeys.add(credentials.secret);
    request.actor = check.actor;
    request.identifiedKey = check.actor;
    if (check.lastUsedDue) lastUsedRecorder.record(check.actor);
    const { actor } = check;
    const routeLimits = request.routeOptions.config.limits ?? "default";
    if (routeLimits === "refused") request.countRefusal = () => limits.countRefused(actor, reply);
    else await limits.countRequest(routeLimits, actor, reply);
  };
}

/** Waiting, as the limit asks for, makes no dead key work: who finds only this answer in a log must see why. */
function sayingWhy(refusal: AppError): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, `${refusal.message} ${error.message}`, { data: error.data });
  };
}

type Credentials =
  { kind: "key"; secret: string } | { kind: "session"; secret: string } | { kind: "none"; error: AppError };

/** A key in the header, else the cookie of a session: never one in place of another that is wrong. */
function readCredentials(request: FastifyRequest, sessions: Sessions): Credentials {
  const { authorization } = request.headers;
  if (authorization === undefined) {
    const token = sessions.tokenOf(request);
    if (token !== undefined) return { kind: "session", secret: token };
    const message = "An API key is required: send Authorization: Bearer <API_KEY>.";
    return { kind: "none", error: new AppError("missing_credentials", message) };
  }
  const rawKey = BEARER.exec(authorization)?.[1];
  if (rawKey !== undefined) return { kind: "key", secret: rawKey };
  const message = "The Authorization header must be: Bearer <API_KEY>.";
  return { kind: "none", error: new AppError("missing_credentials", message) };
}

/** The actor of an authenticated route. */
export function actorOf(request: FastifyRequest): Actor {
  if (request.actor === null) throw new Error("this route does not authenticate");
  return request.actor;
}
