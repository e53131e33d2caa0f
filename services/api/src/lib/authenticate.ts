import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import type { IdentifiedKey, KeyCheck, KeyChecks } from "@waymark/server/api-keys/check-key.ts";
import type { OpenSession } from "@waymark/server/api-keys/sessions/sessions.ts";
import type { OperationLimits } from "@waymark/shared/operations/limits.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { rateLimitAddress } from "./limits/client-address.ts";
import { createRecentKeys } from "./limits/recent-keys.ts";
import { isKeyOfFleet, type RequestLimits } from "./limits/request-limits.ts";
import type { Sessions } from "./sessions.ts";
import type { LastUsedRecorder } from "./last-used-recorder.ts";

declare module "fastify" {
  interface FastifyRequest {
    actor: Actor | null;
    /** The key of this request, once its secret has matched, even if it is no longer usable. */
    identifiedKey: IdentifiedKey | null;
    /** The console's session, if the request has its cookie instead of a key. */
    session: OpenSession | null;
    /** On routes that limit only refused requests: counts this request, and throws if there were too many. */
    countRefusal: (() => Promise<void>) | null;
  }
  interface FastifyContextConfig {
    /** The limits of this route. Default: `default`. */
    limits?: OperationLimits;
  }
}

/** A hook for `onRequest`: it runs before the body is read, so that unauthenticated bodies are never parsed. */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

const BEARER = /^bearer +(\S+) *$/i;

/** @throws AppError `missing_credentials`, `rate_limited`, or the reason why the key is refused */
export function createAuthenticate(dependencies: {
  keyChecks: KeyChecks;
  limits: RequestLimits;
  lastUsedRecorder: LastUsedRecorder<IdentifiedKey>;
  sessions: Sessions;
  /** Returns false if the key was revoked meanwhile. */
  recordFirstUse: (key: IdentifiedKey) => Promise<boolean>;
}): Authenticate {
  const { keyChecks, limits, lastUsedRecorder, sessions, recordFirstUse } = dependencies;
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
    // Checked before any query. Recently valid keys are exempt, so one client with a wrong key doesn't block others behind
    // the same address.
    const isRecent = credentials.kind !== "none" && recentKeys.has(credentials.secret);
    if (!isRecent) await limits.assertAddressMayTry(address, reply);
    if (credentials.kind === "none") {
      await limits.noteFailure(address);
      throw credentials.error;
    }

    let check = await checkCredentials(request, credentials);
    // A repeated creation replaces a key whose use is not recorded: once for each such key, the record comes first.
    if (check.ok && check.isFirstUse && !(await recordFirstUse(check.actor))) {
      check = await checkCredentials(request, credentials);
    }
    if (!check.ok) {
      request.identifiedKey = check.key;
      recentKeys.forget(credentials.secret);
      // Requests with the right secret of an unusable key count against the key, not the address, so clients with an
      // expired key don't block others behind the same address. This applies to every route.
      if (check.key === null) await limits.noteFailure(address);
      else await limits.countRefused(check.key, reply).catch(sayingWhy(check.error));
      throw check.error;
    }
    recentKeys.add(credentials.secret);
    request.actor = check.actor;
    request.identifiedKey = check.actor;
    if (check.lastUsedDue && !check.isFirstUse) lastUsedRecorder.record(check.actor);
    const { actor } = check;
    const routeLimits = request.routeOptions.config.limits ?? "default";
    if (routeLimits === "refused") request.countRefusal = () => limits.countRefused(actor, reply);
    else await limits.countRequest(routeLimits, { ...actor, isOfFleet: isKeyOfFleet(actor) }, reply);
  };
}

/** Adds the reason why the key is refused, because waiting doesn't help, and a log may show only this response. */
function sayingWhy(refusal: AppError): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, `${refusal.message} ${error.message}`, { data: error.data });
  };
}

type Credentials =
  | { kind: "key"; secret: string }
  | { kind: "session"; secret: string }
  | { kind: "none"; error: AppError };

/** The key in the header, otherwise the session's cookie. If the header is wrong, the cookie is not used. */
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

/** The actor of an authenticated request. */
export function actorOf(request: FastifyRequest): Actor {
  if (request.actor === null) throw new Error("this route does not authenticate");
  return request.actor;
}
