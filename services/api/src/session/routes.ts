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

/** A key is 56 characters long. Anybody may send this body, so it is no longer than it must be. */
const BODY_BYTES_MAX = 1024;

const errors = { 400: ErrorResponse, 401: ErrorResponse, 403: ErrorResponse, 429: ErrorResponse };

interface SessionRouteDependencies {
  db: DatabasePool;
  authenticate: Authenticate;
  sessions: Sessions;
  limits: RequestLimits;
}

/** Signing the console in and out. The key is exchanged for a session; the browser keeps nothing else. */
export function registerSessionRoutes(
  app: ZodApp,
  { db, authenticate, sessions, limits }: SessionRouteDependencies,
): void {
  // A body that holds no key is a failed attempt as well, or guessing in odd shapes would be free.
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
          "Exchanges an API key for the cookie (HttpOnly, SameSite=Strict) of a new session, which the server knows and " +
          "ends: 12 hours after it was opened, earlier when it is not used, at once with DELETE and when its key is " +
          "revoked. White space around the key is ignored. A session that the browser had before ends.",
        tags: ["session"],
        security: [],
        body: CreateSessionRequest,
        response: { 200: Session, ...errors, 413: ErrorResponse, 415: ErrorResponse },
      },
      config: { bodyBytesMax: BODY_BYTES_MAX },
      // Before the body is read: an address that has failed too often gets no further.
      onRequest: (request, reply) => limits.assertAddressMayTry(rateLimitAddress(request.ip), reply),
      errorHandler: countMalformed,
    },
    async (request, reply) => {
      // From here on it is the same check, with the same limits, as for a key in the Authorization header.
      request.headers.authorization = `Bearer ${request.body.apiKey}`;
      await authenticate(request, reply);
      const key = actorOf(request);
      // Before it: a record without its session is better than a session without a record.
      await recordSession(db, request, { key, action: "session.created" });
      return describe(request, await sessions.open(request, reply, key));
    },
  );

  app.get(
    "/api/session",
    {
      schema: {
        operationId: "getSession",
        summary: "Who is signed in",
        tags: ["session"],
        response: { 200: Session, ...errors },
      },
      onRequest: authenticate,
    },
    async (request) => describe(request, request.session?.expiresAt),
  );

  app.delete(
    "/api/session",
    {
      schema: {
        operationId: "deleteSession",
        summary: "Sign a browser out",
        description:
          "Ends the session of the cookie, every copy of it included, and takes the cookie away. It works also when the " +
          "session's key no longer does. Without a cookie it does nothing.",
        tags: ["session"],
        security: [],
        response: { 200: z.object({}), 403: ErrorResponse, 429: ErrorResponse },
      },
      config: { bodyBytesMax: BODY_BYTES_MAX },
      // Tokens can be guessed here, too: it is limited as every other use of one.
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

/** Whether the request was refused for its shape: by us, or by the framework, whose errors carry a status, too. */
function isMalformed(error: Error): boolean {
  if (error instanceof AppError) return [400, 413, 415].includes(error.httpStatus);
  return "statusCode" in error && error.statusCode === 415;
}

function describe(request: FastifyRequest, expiresAt: Date | undefined): Session {
  const { organizationId, apiKeyId, scopes } = actorOf(request);
  return {
    organizationId,
    apiKeyId,
    scopes: [...scopes],
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}
