import type { SignInDomain, StoredProvider } from "@waymark/server/principals/identity-providers/queries.ts";
import type { IdentityProvider } from "@waymark/shared/principals/identity-providers/schema.ts";
import { backChannelLogoutUriOf, redirectUriOf } from "../sign-in/redirect-uri.ts";

/**
 * Returns a provider as administrators see it: without its client secret.
 *
 * @param options.domains the domains of all providers of the organization
 */
export function describeProvider(
  provider: StoredProvider,
  { baseUrl, domains }: { baseUrl: string; domains: readonly SignInDomain[] },
): IdentityProvider {
  const { id, displayName, issuer, clientId, scopes, emailDomains, groups, groupsClaim, trustsEmail, roles } =
    provider;
  return {
    id,
    displayName,
    issuer,
    clientId,
    hasClientSecret: provider.clientSecret !== null,
    scopes,
    emailDomains,
    groups,
    groupsClaim,
    trustsEmail,
    roles,
    teams: provider.teams,
    signInDomains: domains.flatMap((one) => (one.identityProviderId === id ? [one.domain] : [])),
    redirectUri: redirectUriOf(baseUrl, id),
    backChannelLogoutUri: backChannelLogoutUriOf(baseUrl, id),
    createdAt: provider.createdAt,
    updatedAt: provider.updatedAt,
    createdBy: provider.createdBy,
  };
}
