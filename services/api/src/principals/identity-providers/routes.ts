import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import {
  listProviders,
  listSignInDomains,
  type StoredProvider,
} from "@waymark/server/principals/identity-providers/queries.ts";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import * as operations from "@waymark/shared/principals/identity-providers/operations.ts";
import type { FastifyRequest } from "fastify";
import { auditOriginOf } from "../../lib/audit-origin.ts";
import { actorOf } from "../../lib/authenticate.ts";
import type { PublicAddress } from "../../lib/public-address.ts";
import type { Serve } from "../../lib/serve.ts";
import { describeProvider } from "./describe-provider.ts";
import {
  createProviderAs,
  deleteProviderAs,
  type ProviderDependencies,
  updateProviderAs,
} from "./set-provider.ts";

export function registerIdentityProviderRoutes(
  serve: Serve,
  { baseUrlOf, ...dependencies }: ProviderDependencies & Pick<PublicAddress, "baseUrlOf">,
): void {
  const { db } = dependencies;
  const by = (request: FastifyRequest) => ({ actor: actorOf(request), origin: auditOriginOf(request) });

  /** Returns a function that describes a provider of the caller's organization. */
  async function createDescriber(tx: DatabaseTransactionConnection, request: FastifyRequest) {
    const domains = await listSignInDomains(tx, actorOf(request).organizationId);
    const baseUrl = baseUrlOf(request);
    return (provider: StoredProvider) => describeProvider(provider, { baseUrl, domains });
  }

  const describe = (request: FastifyRequest, provider: StoredProvider) =>
    withOrganization(db, actorOf(request).organizationId, async (tx) =>
      (await createDescriber(tx, request))(provider),
    );

  serve(operations.listIdentityProviders, async (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    authorize(actor, "principals:read", {});
    return withOrganization(db, organizationId, async (tx) => {
      const providers = await listProviders(tx, organizationId);
      return { identityProviders: providers.map(await createDescriber(tx, request)) };
    });
  });

  serve(operations.createIdentityProvider, async (request, reply) => {
    const created = await createProviderAs(dependencies, { ...by(request), request: request.body });
    return reply.code(201).send(await describe(request, created));
  });

  serve(operations.updateIdentityProvider, async (request) => {
    const change = { ...by(request), ...request.params, request: request.body };
    return describe(request, await updateProviderAs(dependencies, change));
  });

  serve(operations.deleteIdentityProvider, async (request, reply) => {
    await deleteProviderAs(dependencies, { ...by(request), ...request.params });
    return reply.code(204).send(null);
  });
}
