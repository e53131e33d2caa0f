import { AppError } from "@waymark/shared/errors/app-error.ts";
import { LRUCache } from "lru-cache";
import * as client from "openid-client";
import { toProviderError } from "./provider-errors.ts";
import { PROVIDER_SECONDS } from "./provider-http.ts";

/** A discovery document is read again after this time. */
const FRESH_MS = 10 * 60_000;
const ISSUERS_MAX = 1_000;

interface Issuer {
  issuer: string;
  clientId: string;
}

export interface Discovery {
  /** Reads the discovery document, also if it is known. @throws AppError `identity_provider_invalid` */
  verify(issuer: Issuer): Promise<void>;
  /** Returns the discovery document. @throws AppError `identity_provider_unavailable` or `identity_provider_invalid` */
  find(issuer: Issuer): Promise<client.ServerMetadata>;
}

/** Reads discovery documents, and remembers those that are fit for signing in. */
export function createDiscovery(fetch: client.CustomFetch): Discovery {
  const known = new LRUCache<string, client.ServerMetadata>({ max: ISSUERS_MAX, ttl: FRESH_MS });

  async function read({ issuer, clientId }: Issuer): Promise<client.ServerMetadata> {
    const found = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
      [client.customFetch]: fetch,
      timeout: PROVIDER_SECONDS,
      algorithm: "oidc",
    });
    const metadata = found.serverMetadata();
    assertFit(metadata, issuer);
    known.set(issuer, metadata);
    return metadata;
  }

  return {
    async verify(issuer) {
      await read(issuer).catch((error: unknown) => {
        if (error instanceof AppError && error.code === "identity_provider_invalid") throw error;
        throw invalid(`can't be read: ${reasonOf(error)}`, error);
      });
    },
    async find(issuer) {
      return known.get(issuer.issuer) ?? read(issuer).catch(toProviderError);
    },
  };
}

function assertFit(metadata: client.ServerMetadata, issuer: string): void {
  // The library compares addresses, in which a final slash at the root counts as none. Tokens have it, or not.
  if (metadata.issuer !== issuer) throw invalid(`names another issuer, ${metadata.issuer}`);
  for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const) {
    const address = metadata[name];
    if (address === undefined) throw invalid(`has no ${name}`);
    if (!URL.canParse(address) || new URL(address).protocol !== "https:")
      throw invalid(`has a ${name} that is no https:// address`);
  }
  const methods = metadata.code_challenge_methods_supported;
  if (methods !== undefined && !methods.includes("S256"))
    throw invalid("does not support PKCE with S256 (code_challenge_methods_supported)");
}

function invalid(what: string, cause?: unknown): AppError {
  return new AppError("identity_provider_invalid", `The discovery document of the issuer ${what}.`, {
    cause,
  });
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message.replace(/\.$/, "") : "it did not respond";
}
