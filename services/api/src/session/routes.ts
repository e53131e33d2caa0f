import { parseApiKey } from "@waymark/shared/api-keys/key-format.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { CreateSessionRequest, Session } from "@waymark/shared/session/schema.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { type Authenticate, actorOf } from "../lib/authenticate.ts";
import type { OpenSession, Sessions } from "../lib/sessions.ts";
import type { ZodApp } from "../lib/zod-routes.ts";

const errors = { 400: ErrorResponse, 401: ErrorResponse, 403: ErrorResponse, 429: ErrorResponse };

/** Signing the console in and out. The key is exchanged for a sealed cookie; the browser keeps nothing else. */
export function registerSessionRoutes(
  app: ZodApp,
  { authenticate, sessions }: { authenticate: Authenticate; sessions: Sessions },
): void {
  app.post(
    "/api/session",
    {
      schema: {
        operationId: "createSession",
        summary: "Sign a browser in",
        description:
          "Exchanges an API key for a cookie (HttpOnly, SameSite=Strict) that seals the key's id, not the key. " +
          "Every request with it repeats the key check: revoking the key ends the session at once.",
        tags: ["session"],
        security: [],
        body: CreateSessionRequest,
        response: { 200: Session, ...errors },
      },
    },
    async (request, reply) => {
      // From here on it is the same check, with the same limits, as for a key in the Authorization header.
      request.headers.authorization = `Bearer ${request.body.apiKey}`;
      await authenticate(request, reply);
      const prefix = parseApiKey(request.body.apiKey)?.prefix ?? "";
      const opened = await sessions.open(request, reply, { prefix, apiKeyId: actorOf(request).apiKeyId });
      reply.header("cache-control", "no-store");
      return describe(request, opened);
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
    async (request, reply) => {
      reply.header("cache-control", "no-store");
      return describe(request, request.session);
    },
  );

  app.delete(
    "/api/session",
    {
      schema: {
        operationId: "deleteSession",
        summary: "Sign a browser out",
        description: "Takes the cookie away. Without one it does nothing.",
        tags: ["session"],
        security: [],
        response: { 200: z.object({}), 403: ErrorResponse },
      },
    },
    async (request, reply) => {
      sessions.end(request, reply);
      return {};
    },
  );
}

function describe(request: FastifyRequest, session: OpenSession | null): Session {
  const { organizationId, apiKeyId, scopes } = actorOf(request);
  return {
    organizationId,
    apiKeyId,
    scopes: [...scopes],
    expiresAt: session?.expiresAt.toISOString() ?? null,
  };
}
