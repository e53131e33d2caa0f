import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { ACCESS_TOKEN_TYPE } from "@waymark/shared/api-keys/trust-policies/schema.ts";
import * as operations from "@waymark/shared/api-keys/trust-policies/operations.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Authenticate } from "../../lib/authenticate.ts";
import { rateLimitAddress } from "../../lib/limits/client-address.ts";
import type { RequestLimits } from "../../lib/limits/request-limits.ts";
import { registerFormBody } from "../../lib/form-body.ts";
import { createServe } from "../../lib/serve.ts";
import type { ZodApp } from "../../lib/zod-routes.ts";
import { identify, issueKey } from "./exchange-token.ts";
import type { IssuerKeys } from "./token/issuer-keys.ts";

interface ExchangeRouteDependencies {
  db: DatabasePool;
  keys: IssuerKeys;
  limits: RequestLimits;
  authenticate: Authenticate;
}

/** Registers the token exchange in an app of its own, whose bodies may be forms. */
export function registerTokenExchangeRoute(app: ZodApp, dependencies: ExchangeRouteDependencies): void {
  const { db, keys, limits, authenticate } = dependencies;
  registerFormBody(app);
  // Whatever is refused counts, also a body that can't be read. Overload and outages are not the client's fault.
  const countRefused = (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    const isRefusal = !(error instanceof AppError) || error.httpStatus < 429;
    const counted = isRefusal ? limits.noteRefusedExchange(rateLimitAddress(request.ip)) : Promise.resolve();
    void counted.finally(() => void reply.send(error));
  };
  createServe(app, authenticate)(
    operations.exchangeToken,
    async (request, reply) => {
      const { identity, policy } = await identify({ db, keys }, request.body.subject_token);
      // A workload that exchanges many tokens uses up its own organization's limits.
      const caller = { organizationId: policy.organizationId, apiKeyId: policy.id, isOfFleet: true };
      await limits.countRequest("default", caller, reply);
      const origin = { address: request.ip, requestId: request.id };
      const { apiKey, rawKey } = await issueKey(db, { identity, policy, origin });
      const expiresIn = Math.max(1, Math.floor((Date.parse(apiKey.expiresAt ?? "") - Date.now()) / 1000));
      return reply.header("cache-control", "no-store").send({
        access_token: rawKey,
        issued_token_type: ACCESS_TOKEN_TYPE,
        token_type: "Bearer",
        expires_in: expiresIn,
        api_key_id: apiKey.id,
        organization_id: policy.organizationId,
        trust_policy_id: policy.id,
      });
    },
    {
      onRequest: (request, reply) => limits.assertAddressMayExchange(rateLimitAddress(request.ip), reply),
      errorHandler: countRefused,
    },
  );
}
