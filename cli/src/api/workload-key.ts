import { exchangeToken } from "@waymark/shared/api-keys/trust-policies/operations.ts";
import {
  JWT_TOKEN_TYPE,
  TOKEN_EXCHANGE_GRANT,
  TokenExchangeResult,
} from "@waymark/shared/api-keys/trust-policies/schema.ts";
import { type ApiConnection, call } from "./api-client.ts";
import { CliError } from "../lib/cli-error.ts";

/** The identity that a CI system gives to a build. */
export interface Identity {
  /** Where it comes from, for the user. */
  source: string;
  /** True if each request gives another token. */
  isRenewable: boolean;
  /** Returns a token for an audience. It must not be shown. @throws {CliError} */
  requestToken: (audience: string, connection: Pick<ApiConnection, "times" | "extraCa">) => Promise<string>;
}

/** A key that a build gets in exchange for its token, with the first request that needs one. */
export interface WorkloadKey {
  identity: Identity;
  /** Returns the audience that the token is for. */
  audienceOf: (connection: Pick<ApiConnection, "baseUrl">) => string;
  /** Returns the key, which is kept while it is valid. */
  get: (connection: ApiConnection) => Promise<string>;
}

/** A key that ends within this time is replaced, if the identity can be renewed. */
const MARGIN_MS = 30_000;

/** @param audience what the token is for, if it is not the server's address */
export function createWorkloadKey(identity: Identity, audience: string | undefined): WorkloadKey {
  let issued: Promise<{ key: string; endsAt: number }> | undefined;
  let endsAt = 0;
  const audienceOf = ({ baseUrl }: Pick<ApiConnection, "baseUrl">) => audience ?? addressOf(baseUrl);
  return {
    identity,
    audienceOf,
    async get(connection) {
      if (issued !== undefined && identity.isRenewable && Date.now() > endsAt - MARGIN_MS) issued = undefined;
      issued ??= issue(connection, identity, audienceOf(connection));
      try {
        const { key, endsAt: end } = await issued;
        endsAt = end;
        return key;
      } catch (error) {
        // The next request may succeed, for example after an outage.
        issued = undefined;
        endsAt = 0;
        throw error;
      }
    },
  };
}

/** Returns the server's address as it writes it itself. */
function addressOf(baseUrl: string): string {
  return new URL(baseUrl).href.replace(/\/+$/, "");
}

async function issue(connection: ApiConnection, identity: Identity, audience: string) {
  try {
    return await exchangeOnce(connection, identity, audience);
  } catch (error) {
    // A response that was lost has used the token up.
    const isUsed = error instanceof CliError && error.code === "identity_token_used";
    if (!identity.isRenewable || !isUsed) throw error;
    return exchangeOnce(connection, identity, audience);
  }
}

async function exchangeOnce(connection: ApiConnection, identity: Identity, audience: string) {
  const token = await identity.requestToken(audience, connection);
  const reading = {
    what: `exchanging the token of ${identity.source} for a key`,
    read: TokenExchangeResult.pick({ access_token: true, expires_in: true }),
  };
  const body = {
    grant_type: TOKEN_EXCHANGE_GRANT,
    subject_token: token,
    subject_token_type: JWT_TOKEN_TYPE,
  } as const;
  const result = await call({ ...connection, apiKey: undefined }, exchangeToken, reading, { body });
  return { key: result.access_token, endsAt: Date.now() + result.expires_in * 1000 };
}
