import { withOrganization } from "@waymark/server/db/organization.ts";
import {
  listProviders,
  listSignInDomains,
  type StoredProvider,
} from "@waymark/server/principals/identity-providers/queries.ts";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import * as operations from "@waymark/shared/principals/identity-providers/operations.ts";
import type { IdentityProvider } from "@waymark/shared/principals/identity-providers/schema.ts";
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

  async function describeAll(
    request: FastifyRequest,
    read?: readonly StoredProvider[],
  ): Promise<IdentityProvider[]> {
    const { organizationId } = actorOf(request);
    return withOrganization(db, organizationId, async (tx) => {
      const providers = read ?? (await listProviders(tx, organizationId));
      const domains = await listSignInDomains(tx, organizationId);
      return providers.map((provider) =>
        describeProvider(provider, {
          baseUrl: baseUrlOf(request),
          signInDomains: domains.flatMap((one) =>
            one.identityProviderId === provider.id ? [one.domain] : [],
          ),
        }),
      );
    });
  }

  async function describe(request: FastifyRequest, provider: StoredProvider): Promise<IdentityProvider> {
    const [described] = await describeAll(request, [provider]);
    if (described === undefined) throw new Error("one provider has one description");
    return described;
  }

  serve(operations.listIdentityProviders, async (request) => {
    authorize(actorOf(request), "principals:read", {});
    return { identityProviders: await describeAll(request) };
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
