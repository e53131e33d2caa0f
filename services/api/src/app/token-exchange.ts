import type { DatabasePool } from "@waymark/server/db/pool.ts";
import type { Logger } from "@waymark/server/lib/logger.ts";
import type { FastifyInstance } from "fastify";
import { registerTokenExchangeRoute } from "../api-keys/trust-policies/exchange-route.ts";
import { createIssuerKeys } from "../api-keys/trust-policies/token/issuer-keys.ts";
import { createIssuerReader } from "../api-keys/trust-policies/token/read-issuer.ts";
import type { ApiConfig } from "../config.ts";
import type { Authenticate } from "../lib/authenticate.ts";
import type { RequestLimits } from "../lib/limits/request-limits.ts";
import type { ZodApp } from "../lib/zod-routes.ts";

/** Registers the token exchange with its readers of issuers, and closes them with the app. */
export async function registerTokenExchange(
  app: FastifyInstance,
  routes: ZodApp,
  dependencies: {
    config: ApiConfig;
    logger: Logger;
    db: DatabasePool;
    limits: RequestLimits;
    authenticate: Authenticate;
  },
): Promise<void> {
  const { config, logger, ...others } = dependencies;
  const reader = createIssuerReader({ egressAllow: config.issuerEgressAllow });
  app.addHook("onClose", () => reader[Symbol.dispose]());
  const keys = createIssuerKeys({
    read: reader.read,
    onError: (error, issuer) =>
      logger.warn({ err: error, issuer }, "the keys of an issuer could not be read"),
  });
  await routes.register(async (scope: ZodApp) => registerTokenExchangeRoute(scope, { ...others, keys }));
}
