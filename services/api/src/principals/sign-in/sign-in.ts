import type { IdentifiedKey } from "@waymark/server/api-keys/check-key.ts";
import type { SessionByProvider } from "@waymark/server/api-keys/sessions/sessions.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import type { KeyRing } from "@waymark/server/encryption/key-ring.ts";
import type { StoredProvider } from "@waymark/server/principals/identity-providers/queries.ts";
import {
  findSignInOrganization,
  insertSignIn,
  takeSignIn,
} from "@waymark/server/principals/sign-in/queries.ts";
import {
  generateSignInToken,
  parseSignInToken,
  type SignInChecks,
  signInChecksOf,
} from "@waymark/server/principals/sign-in/sign-in-token.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { SIGN_IN_LIMITS } from "@waymark/shared/principals/sign-in/schema.ts";
import { admitPerson } from "./admit-person.ts";
import { existingProvider, openProvider } from "./open-provider.ts";
import type { ProviderClaims, ProviderClient } from "./provider-client.ts";
import { refused } from "./provider-errors.ts";
import { wantedClaims } from "./read-person.ts";
import { redirectUriOf } from "./redirect-uri.ts";

export interface SignInDependencies {
  db: DatabasePool;
  keyRing: KeyRing | undefined;
  client: ProviderClient;
  lifetimeDaysMax: number | undefined;
}

/** How far the clocks of a provider and this server may differ. */
const SKEW_MS = 60_000;

/**
 * Begins a sign-in.
 *
 * @returns the token for the browser's cookie, and where the browser goes on
 * @throws AppError `not_found`, `limit_reached` or `identity_provider_unavailable`
 */
export async function beginSignIn(
  { db, keyRing, client }: SignInDependencies,
  begun: { identityProviderId: string; loginHint: string | undefined; again: boolean; baseUrl: string },
): Promise<{ token: string; authorizationUrl: string }> {
  const { identityProviderId, loginHint, again, baseUrl } = begun;
  const provider = await existingProvider(db, identityProviderId);
  const { organizationId, scopes } = provider;
  const settings = await openProvider(db, keyRing, provider);
  const { token, tokenHash } = generateSignInToken();
  const redirectUri = redirectUriOf(baseUrl, provider.id);
  const checks = signInChecksOf(token);
  const authorizationUrl = await client.authorizationUrl(settings, {
    redirectUri,
    scopes,
    checks,
    again,
    loginHint,
  });
  const { minutesMax: minutes, openMax } = SIGN_IN_LIMITS;
  const stored = await withOrganization(db, organizationId, (tx) =>
    insertSignIn(tx, { organizationId, identityProviderId: provider.id, tokenHash, again, minutes, openMax }),
  );
  if (!stored) {
    const message = "Too many people sign in at this moment. Try again in a few minutes.";
    throw new AppError("service_unavailable", message, { data: { retryAfterSeconds: 60 } });
  }
  return { token, authorizationUrl };
}

/**
 * Completes a sign-in by the provider's redirect. Whatever the redirect has, the sign-in can't be completed again.
 *
 * @param completed.token the browser's cookie, to which state, nonce and PKCE are bound
 * @throws AppError `sign_in_expired`, `sign_in_refused`, `principal_disabled`, `limit_reached` or `identity_provider_unavailable`
 */
export async function completeSignIn(
  dependencies: SignInDependencies,
  completed: {
    token: string | undefined;
    identityProviderId: string;
    query: string;
    baseUrl: string;
    address: string;
    requestId: string;
  },
): Promise<{ key: IdentifiedKey; byProvider: SessionByProvider }> {
  const { db, keyRing, client, lifetimeDaysMax } = dependencies;
  const { token, identityProviderId, query, baseUrl, address, requestId } = completed;
  const { provider, begun, checks } = await takeBegun(db, token, identityProviderId.toLowerCase());
  const claims = await client.exchange(await openProvider(db, keyRing, provider), {
    redirectUri: redirectUriOf(baseUrl, provider.id),
    query,
    checks,
    wanted: wantedClaims(provider),
  });
  if (begun.again) assertAskedAgain(claims, begun.createdAt);
  const { key, person } = await admitPerson(db, { provider, claims, lifetimeDaysMax, address, requestId });
  return {
    key,
    byProvider: {
      identityProviderId: provider.id,
      providerSession: person.providerSession,
      // A provider that does not say when it saw the credentials is taken to have seen them now.
      authenticatedAt: person.authenticatedAt ?? new Date(),
    },
  };
}

/** Takes the sign-in that this browser began at this provider. */
async function takeBegun(
  db: DatabasePool,
  token: string | undefined,
  identityProviderId: string,
): Promise<{
  provider: StoredProvider;
  begun: { again: boolean; createdAt: string };
  checks: SignInChecks;
}> {
  const tokenHash = token === undefined ? undefined : parseSignInToken(token);
  if (token === undefined || tokenHash === undefined) throw expired();
  const organizationId = await findSignInOrganization(db, tokenHash);
  if (organizationId === null) throw expired();
  const begun = await withOrganization(db, organizationId, (tx) =>
    takeSignIn(tx, { organizationId, tokenHash }),
  );
  // A response of another provider than the one that was asked is an attack, or the console of two tabs.
  if (begun === null || begun.identityProviderId !== identityProviderId) throw expired();
  const provider = await existingProvider(db, begun.identityProviderId);
  return { provider, begun, checks: signInChecksOf(token) };
}

/** @throws AppError `sign_in_refused` if the provider says that it saw the credentials before it was asked to */
function assertAskedAgain({ auth_time: authTime }: ProviderClaims, begunAt: string): void {
  if (typeof authTime !== "number" || authTime * 1000 >= Date.parse(begunAt) - SKEW_MS) return;
  throw refused(
    "The identity provider did not ask for your credentials again. Sign out there, and sign in again.",
  );
}

function expired(): AppError {
  return new AppError(
    "sign_in_expired",
    `This sign-in can't be completed: it took longer than ${SIGN_IN_LIMITS.minutesMax} minutes, was completed before, or was begun in another browser or tab. Sign in again.`,
  );
}
