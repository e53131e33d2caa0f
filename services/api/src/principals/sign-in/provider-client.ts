import type { JSONWebKeySet } from "jose";
import * as client from "openid-client";
import { z } from "zod";
import type { SignInChecks } from "@waymark/server/principals/sign-in/sign-in-token.ts";
import { createDiscovery } from "./discover-provider.ts";
import { PROVIDER_SECONDS, type ProviderHttp } from "./provider-http.ts";
import { toProviderError, unavailable } from "./provider-errors.ts";

const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });

/** A provider, as its organization has set it up, with its client secret. */
export interface ClientSettings {
  issuer: string;
  clientId: string;
  /** Undefined for a public client. */
  clientSecret: string | undefined;
}

/** Claims of the ID token, completed by those of the UserInfo response. */
export type ProviderClaims = Readonly<Record<string, unknown>> & { readonly sub: string };

interface AuthorizationRequest {
  redirectUri: string;
  /** Scopes besides openid, email and profile. */
  scopes: readonly string[];
  checks: SignInChecks;
  /** True if the provider must ask for the credentials, although the person is signed in there. */
  again: boolean;
  loginHint: string | undefined;
}

interface CodeExchange {
  redirectUri: string;
  /** The query of the redirect. */
  query: string;
  checks: SignInChecks;
  /** Claims that are read from the UserInfo response if the ID token lacks one of them. */
  wanted: readonly string[];
}

export interface ProviderClient {
  /** Reads the discovery document, also if it is known. @throws AppError `identity_provider_invalid` */
  verify(settings: ClientSettings): Promise<void>;
  /** Returns where the browser goes on. @throws AppError `identity_provider_unavailable` */
  authorizationUrl(settings: ClientSettings, request: AuthorizationRequest): Promise<string>;
  /**
   * Exchanges the code of a redirect, and verifies what the provider says: state, issuer, nonce, PKCE, audience, times and signature.
   *
   * @throws AppError `sign_in_refused` or `identity_provider_unavailable`
   */
  exchange(settings: ClientSettings, request: CodeExchange): Promise<ProviderClaims>;
  /** Reads the provider's signing keys. @throws AppError `identity_provider_unavailable` */
  keys(settings: ClientSettings): Promise<JSONWebKeySet>;
}

export function createProviderClient({ fetch }: ProviderHttp): ProviderClient {
  const discovery = createDiscovery(fetch);

  /** A new one for each sign-in: it reads the provider's keys anew, so that keys that were rotated a moment ago are known. */
  async function configure(settings: ClientSettings): Promise<client.Configuration> {
    const metadata = await discovery.find(settings);
    const { clientId, clientSecret } = settings;
    const config = new client.Configuration(metadata, clientId, {}, authenticationOf(metadata, clientSecret));
    config[client.customFetch] = fetch;
    config.timeout = PROVIDER_SECONDS;
    client.enableNonRepudiationChecks(config);
    return config;
  }

  return {
    verify: (settings) => discovery.verify(settings),
    async authorizationUrl(settings, request) {
      const parameters = await authorizationParameters(request);
      return client.buildAuthorizationUrl(await configure(settings), parameters).href;
    },
    async exchange(settings, request) {
      const config = await configure(settings);
      return exchangeCode(config, request).catch(toProviderError);
    },
    async keys(settings) {
      const { jwks_uri: address = "" } = await discovery.find(settings);
      return readKeys(fetch, address).catch((error: unknown) => {
        throw unavailable("has no keys that can be read", error);
      });
    },
  };
}

async function authorizationParameters({
  redirectUri,
  scopes,
  checks,
  again,
  loginHint,
}: AuthorizationRequest): Promise<Record<string, string>> {
  return {
    redirect_uri: redirectUri,
    scope: ["openid", "email", "profile", ...scopes].join(" "),
    state: checks.state,
    nonce: checks.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(checks.codeVerifier),
    code_challenge_method: "S256",
    ...(loginHint === undefined ? {} : { login_hint: loginHint }),
    ...(again ? { prompt: "login", max_age: "0" } : {}),
  };
}

async function exchangeCode(
  config: client.Configuration,
  { redirectUri, query, checks, wanted }: CodeExchange,
): Promise<ProviderClaims> {
  const tokens = await client.authorizationCodeGrant(config, new URL(`${redirectUri}?${query}`), {
    expectedState: checks.state,
    expectedNonce: checks.nonce,
    pkceCodeVerifier: checks.codeVerifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error("the provider sent no ID token");
  // The library looks at azp only if there is more than one audience.
  if (claims.azp !== undefined && claims.azp !== config.clientMetadata().client_id)
    throw new Error("the ID token was given to another client");
  const isComplete = wanted.every((name) => claims[name] !== undefined);
  if (isComplete || config.serverMetadata().userinfo_endpoint === undefined) return claims;
  const more = await client.fetchUserInfo(config, tokens.access_token, claims.sub);
  return { ...more, ...claims };
}

async function readKeys(fetch: client.CustomFetch, address: string): Promise<JSONWebKeySet> {
  const response = await fetch(address, {
    method: "GET",
    headers: { accept: "application/json" },
    body: undefined,
    redirect: "manual",
    signal: AbortSignal.timeout(PROVIDER_SECONDS * 1000),
  });
  return KeySet.parse(await response.json());
}

/** By what the provider supports: form fields have no encoding that clients and servers read differently. */
function authenticationOf(
  metadata: client.ServerMetadata,
  clientSecret: string | undefined,
): client.ClientAuth {
  if (clientSecret === undefined) return client.None();
  const supported = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return supported.includes("client_secret_post")
    ? client.ClientSecretPost(clientSecret)
    : client.ClientSecretBasic(clientSecret);
}
