import { findKeyNames } from "@waymark/shared/api-keys/queries.ts";
import { withOrganization } from "@waymark/shared/db/organization.ts";
import type { DatabasePool } from "@waymark/shared/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { CreateSessionRequest, Session } from "@waymark/shared/session/schema.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { type Authenticate, actorOf } from "../lib/authenticate.ts";
import { rateLimitAddress } from "../lib/limits/client-address.ts";
import type { RequestLimits } from "../lib/limits/request-limits.ts";
import { recordSession } from "../lib/record-session.ts";
import type { Sessions } from "../lib/sessions.ts";
import type { ZodApp } from "../lib/zod-routes.ts";

/** A key is 56 characters long. This body is unauthenticated, so its limit is low. */
const BODY_BYTES_MAX = 1024;

const errors = { 400: ErrorResponse, 401: ErrorResponse, 403: ErrorResponse, 429: ErrorResponse };

interface SessionRouteDependencies {
  db: DatabasePool;
  authenticate: Authenticate;
  sessions: Sessions;
  limits: RequestLimits;
}

/** Registers the routes for signing in and out of the console. The key is exchanged for a session cookie. */
export function registerSessionRoutes(
  app: ZodApp,
  { db, authenticate, sessions, limits }: SessionRouteDependencies,
): void {
  // A malformed body counts as a failed attempt too, or such requests would be unlimited.
  const countMalformed = (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    const counted = isMalformed(error) ? limits.noteFailure(rateLimitAddress(request.ip)) : Promise.resolve();
    void counted.finally(() => void reply.send(error));
  };

  app.post(
    "/api/session",
    {
      schema: {
        operationId: "createSession",
        summary: "Sign a browser in",
        description:
          "Exchanges an API key for the cookie (HttpOnly, SameSite=Strict) of a new session, which the server stores and " +
          "ends: 12 hours after it was opened, earlier when it is not used, at once with DELETE and when its key is " +
          "revoked. White space around the key is ignored. A session that the browser had before ends.",
        tags: ["session"],
        security: [],
        body: CreateSessionRequest,
        response: { 200: Session, ...errors, 413: ErrorResponse, 415: ErrorResponse },
      },
      config: { bodyBytesMax: BODY_BYTES_MAX },
      // Before the body is read, refuses an address that has failed too often.
      onRequest: (request, reply) => limits.assertAddressMayTry(rateLimitAddress(request.ip), reply),
      errorHandler: countMalformed,
    },
    async (request, reply) => {
      // The following check and limits are the same as for a key in the Authorization header.
      request.headers.authorization = `Bearer ${request.body.apiKey}`;
      await authenticate(request, reply);
      const key = actorOf(request);
      // Recorded first: an event without a session is better than a session without an event.
      await recordSession(db, request, { key, action: "session.created" });
      return describe(db, request, await sessions.open(request, reply, key));
    },
  );

  app.get(
    "/api/session",
    {
      schema: {
        operationId: "getSession",
        summary: "Read the current session",
        tags: ["session"],
        response: { 200: Session, ...errors },
      },
      onRequest: authenticate,
    },
    (request) => describe(db, request, request.session?.expiresAt),
  );

  app.delete(
    "/api/session",
    {
      schema: {
        operationId: "deleteSession",
        summary: "Sign a browser out",
        description:
          "Ends the session of the cookie, and removes the cookie. Works even if the session's key is no longer usable. " +
          "Without a cookie it does nothing.",
        tags: ["session"],
        security: [],
        response: { 200: z.object({}), 403: ErrorResponse, 429: ErrorResponse },
      },
      config: { bodyBytesMax: BODY_BYTES_MAX },
      // Limited like every other use of a token, because an attacker could guess tokens here too.
      onRequest: async (request, reply) => {
        if (sessions.isSent(request)) await limits.assertAddressMayTry(rateLimitAddress(request.ip), reply);
      },
    },
    async (request, reply) => {
      const keys = await sessions.end(request, reply);
      if (keys.length === 0 && sessions.isSent(request))
        await limits.noteFailure(rateLimitAddress(request.ip));
      for (const key of keys) await recordSession(db, request, { key, action: "session.ended" });
      return {};
    },
  );
}

/** Whether the request was refused as malformed, by the api or by the framework, whose errors also have a status. */
function isMalformed(error: Error): boolean {
  if (error instanceof AppError) return [400, 413, 415].includes(error.httpStatus);
  return "statusCode" in error && error.statusCode === 415;
}

async function describe(
  db: DatabasePool,
  request: FastifyRequest,
  expiresAt: Date | undefined,
): Promise<Session> {
  const { organizationId, apiKeyId, scopes } = actorOf(request);
  const names = await withOrganization(db, organizationId, (tx) =>
    findKeyNames(tx, { organizationId, apiKeyId }),
  );
  return {
    organizationId,
    apiKeyId,
    ...names,
    scopes: [...scopes],
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}
