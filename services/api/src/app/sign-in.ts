import type { DatabasePool } from "@waymark/server/db/pool.ts";
import type { FastifyInstance } from "fastify";
import type { ApiConfig } from "../config.ts";
import type { Authenticate } from "../lib/authenticate.ts";
import type { RequestLimits } from "../lib/limits/request-limits.ts";
import type { PublicAddress } from "../lib/public-address.ts";
import type { Serve } from "../lib/serve.ts";
import type { Sessions } from "../lib/sessions.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { registerIdentityProviderRoutes } from "../principals/identity-providers/routes.ts";
import { createProviderClient } from "../principals/sign-in/provider-client.ts";
import { createProviderHttp } from "../principals/sign-in/provider-http.ts";
import { registerBackChannelLogoutRoute, registerSignInRoutes } from "../principals/sign-in/routes.ts";

/** Registers identity providers and the sign-in by them, and closes their connections with the app. */
export async function registerSignIn(
  app: FastifyInstance,
  routes: ZodApp,
  dependencies: {
    config: ApiConfig;
    db: DatabasePool;
    limits: RequestLimits;
    authenticate: Authenticate;
    address: PublicAddress;
    sessions: Sessions;
    serve: Serve;
  },
): Promise<void> {
  const { config, db, limits, authenticate, address, sessions, serve } = dependencies;
  const { keyRing, keyLifetimeDaysMax: lifetimeDaysMax, keySignIn } = config;
  const http = createProviderHttp({ egressAllow: config.issuerEgressAllow });
  app.addHook("onClose", () => http[Symbol.dispose]());
  const client = createProviderClient(http);
  const signIn = { db, keyRing, client, lifetimeDaysMax };
  registerIdentityProviderRoutes(serve, { db, keyRing, client, baseUrlOf: address.baseUrlOf });
  registerSignInRoutes(serve, { ...signIn, address, sessions, limits, keySignIn });
  await routes.register(async (scope: ZodApp) =>
    registerBackChannelLogoutRoute(scope, { ...signIn, authenticate, limits }),
  );
}
