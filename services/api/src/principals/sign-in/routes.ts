import type { DatabasePool } from "@waymark/server/db/pool.ts";
import {
  findSignInByDomain,
  findSignInByOrganization,
  findSignInOfOnlyOrganization,
} from "@waymark/server/principals/sign-in/queries.ts";
import { SIGN_IN_LIMITS, type SignInOptions } from "@waymark/shared/principals/sign-in/schema.ts";
import * as operations from "@waymark/shared/principals/sign-in/operations.ts";
import type { Authenticate } from "../../lib/authenticate.ts";
import { registerFormBody } from "../../lib/form-body.ts";
import { rateLimitAddress } from "../../lib/limits/client-address.ts";
import { limitFailedAttempts } from "../../lib/limits/failed-attempts.ts";
import type { RequestLimits } from "../../lib/limits/request-limits.ts";
import type { PublicAddress } from "../../lib/public-address.ts";
import { recordSession } from "../../lib/record-session.ts";
import { createServe, type Serve } from "../../lib/serve.ts";
import { assertFromOwnPage, type Sessions } from "../../lib/sessions.ts";
import { createTokenCookie } from "../../lib/token-cookie.ts";
import type { ZodApp } from "../../lib/zod-routes.ts";
import { endSessionsByLogoutToken } from "./back-channel-logout.ts";
import { domainOf } from "./read-person.ts";
import { beginSignIn, completeSignIn, type SignInDependencies } from "./sign-in.ts";

interface SignInRouteDependencies extends SignInDependencies {
  address: PublicAddress;
  sessions: Sessions;
  limits: RequestLimits;
  /** Whether an API key may be exchanged for a session. */
  keySignIn: boolean;
}

/** Registers the routes for signing in by an identity provider. */
export function registerSignInRoutes(serve: Serve, dependencies: SignInRouteDependencies): void {
  const { db, address, sessions, limits, keySignIn } = dependencies;
  const cookie = createTokenCookie(address, "waymark_sign_in");
  const limited = limitFailedAttempts(limits);

  serve(
    operations.listSignInOptions,
    async (request) => {
      const wanted = request.query.for;
      const providers = await findOptions(db, wanted);
      // Names of organizations could be guessed here.
      if (wanted !== undefined && providers.length === 0)
        await limits.noteFailure(rateLimitAddress(request.ip));
      return { keySignIn, providers: [...providers] };
    },
    limited,
  );

  serve(
    operations.beginSignIn,
    async (request, reply) => {
      assertFromOwnPage(request, address);
      // Each one stores a row, so that a client could use up the organization's room for them.
      await limits.noteFailure(rateLimitAddress(request.ip));
      const { identityProviderId, loginHint, again = false } = request.body;
      const baseUrl = address.baseUrlOf(request);
      const begun = await beginSignIn(dependencies, { identityProviderId, loginHint, again, baseUrl });
      cookie.set(request, reply, begun.token, SIGN_IN_LIMITS.minutesMax * 60);
      const { authorizationUrl } = begun;
      return reply.code(201).header("cache-control", "no-store").send({ authorizationUrl });
    },
    limited,
  );

  serve(
    operations.completeSignIn,
    async (request, reply) => {
      assertFromOwnPage(request, address);
      const tokens = cookie.readAll(request);
      // A browser that sends two has one that somebody planted.
      const token = tokens.length === 1 ? tokens[0] : undefined;
      cookie.clear(request, reply);
      const { key, byProvider } = await completeSignIn(dependencies, {
        token,
        ...request.body,
        baseUrl: address.baseUrlOf(request),
        address: request.ip,
        requestId: request.id,
      });
      await recordSession(db, request, { key, action: "session.created" });
      await sessions.open(request, reply, key, byProvider);
      return reply.code(204).header("cache-control", "no-store").send(null);
    },
    limited,
  );
}

async function findOptions(
  db: DatabasePool,
  wanted: string | undefined,
): Promise<readonly SignInOptions["providers"][number][]> {
  if (wanted === undefined) return findSignInOfOnlyOrganization(db);
  const text = wanted.trim();
  return text.includes("@") ? findSignInByDomain(db, domainOf(text)) : findSignInByOrganization(db, text);
}

/** Registers the route by which providers end sessions, in an app of its own, whose bodies are forms. */
export function registerBackChannelLogoutRoute(
  app: ZodApp,
  {
    authenticate,
    limits,
    ...dependencies
  }: SignInDependencies & { authenticate: Authenticate; limits: RequestLimits },
): void {
  registerFormBody(app);
  createServe(app, authenticate)(
    operations.logOutByProvider,
    async (request, reply) => {
      const keys = await endSessionsByLogoutToken(dependencies, {
        identityProviderId: request.params.identityProviderId,
        token: request.body.logout_token,
      });
      for (const key of keys) await recordSession(dependencies.db, request, { key, action: "session.ended" });
      return reply.header("cache-control", "no-store").send({});
    },
    limitFailedAttempts(limits),
  );
}
