import { findKeyNames } from "@waymark/server/api-keys/queries.ts";
import type { OpenSession } from "@waymark/server/api-keys/sessions/sessions.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { Session } from "@waymark/shared/session/schema.ts";
import type { FastifyRequest } from "fastify";
import * as operations from "@waymark/shared/session/operations.ts";
import { type Authenticate, actorOf } from "../lib/authenticate.ts";
import { rateLimitAddress } from "../lib/limits/client-address.ts";
import { limitFailedAttempts } from "../lib/limits/failed-attempts.ts";
import type { RequestLimits } from "../lib/limits/request-limits.ts";
import { recordSession } from "../lib/record-session.ts";
import type { Sessions } from "../lib/sessions.ts";
import type { Serve } from "../lib/serve.ts";

interface SessionRouteDependencies {
  db: DatabasePool;
  authenticate: Authenticate;
  sessions: Sessions;
  limits: RequestLimits;
  /** False if keys open no sessions. */
  keySignIn: boolean;
}

/** Registers the routes for signing in and out of the console. The key is exchanged for a session cookie. */
export function registerSessionRoutes(
  serve: Serve,
  { db, authenticate, sessions, limits, keySignIn }: SessionRouteDependencies,
): void {
  serve(
    operations.createSession,
    async (request, reply) => {
      if (!keySignIn) {
        throw new AppError(
          "key_sign_in_disabled",
          "The operator of this server lets nobody sign in with a key. Sign in by your organization's identity provider.",
        );
      }
      // The following check and limits are the same as for a key in the Authorization header.
      request.headers.authorization = `Bearer ${request.body.apiKey}`;
      await authenticate(request, reply);
      const key = actorOf(request);
      // Recorded first: an event without a session is better than a session without an event.
      await recordSession(db, request, { key, action: "session.created" });
      const expiresAt = await sessions.open(request, reply, key);
      return describe(db, request, { expiresAt, identityProviderId: null });
    },
    limitFailedAttempts(limits),
  );

  serve(operations.getSession, (request) => describe(db, request, request.session));

  serve(
    operations.deleteSession,
    async (request, reply) => {
      const keys = await sessions.end(request, reply);
      if (keys.length === 0 && sessions.isSent(request))
        await limits.noteFailure(rateLimitAddress(request.ip));
      for (const key of keys) await recordSession(db, request, { key, action: "session.ended" });
      return {};
    },
    {
      // Limited like every other use of a token, because an attacker could guess tokens here too.
      onRequest: async (request, reply) => {
        if (sessions.isSent(request)) await limits.assertAddressMayTry(rateLimitAddress(request.ip), reply);
      },
    },
  );
}

async function describe(
  db: DatabasePool,
  request: FastifyRequest,
  session: Pick<OpenSession, "expiresAt" | "identityProviderId"> | null,
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
    identityProviderId: session?.identityProviderId ?? null,
    expiresAt: session?.expiresAt.toISOString() ?? null,
  };
}
