import { useQuery } from "@tanstack/react-query";
import * as addresses from "@waymark/shared/principals/identity-providers/addresses.ts";
import {
  type CreateIdentityProviderRequest,
  IdentityProvider,
  IdentityProviderList,
  type UpdateIdentityProviderRequest,
} from "@waymark/shared/principals/identity-providers/schema.ts";
import { callApi } from "../../lib/api.ts";
import { apiQuery } from "../../lib/api-query.ts";
import { readQuery } from "../../lib/read-query.ts";
import { usePeopleChange } from "../use-people.ts";

const IDENTITY_PROVIDERS = apiQuery(
  ["principals", "identity-providers"],
  addresses.listIdentityProviders,
  {},
);

export function useIdentityProviders() {
  return useQuery({
    ...readQuery(IDENTITY_PROVIDERS, IdentityProviderList),
    select: ({ identityProviders }) => identityProviders,
  });
}

/** Adds a provider, or changes the one with the id. */
export function useSaveIdentityProvider(identityProviderId: string | undefined) {
  return usePeopleChange(({ issuer, ...body }: CreateIdentityProviderRequest) => {
    if (identityProviderId === undefined)
      return callApi(
        addresses.createIdentityProvider,
        { body: { issuer, ...body } },
        { read: IdentityProvider },
      );
    const changed: UpdateIdentityProviderRequest = body;
    const parts = { params: { identityProviderId }, body: changed };
    return callApi(addresses.updateIdentityProvider, parts, { read: IdentityProvider });
  });
}

export function useDeleteIdentityProvider() {
  return usePeopleChange((identityProviderId: string) =>
    callApi(addresses.deleteIdentityProvider, { params: { identityProviderId } }),
  );
}
