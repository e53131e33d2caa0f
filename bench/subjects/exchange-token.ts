// The exchange of a build's token, as the api does it while it knows the issuer's keys, and the check of the key that it gives.
import { randomUUID } from "node:crypto";
import { createKeyChecks } from "@waymark/server/api-keys/check-key.ts";
import { insertTrustPolicy } from "@waymark/server/api-keys/trust-policies/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import { createDatabasePool, createPgPool } from "@waymark/server/db/pool.ts";
import { createIssuerKey, githubClaims } from "@waymark/test-support/issuer.ts";
import { SignJWT } from "jose";
import { identify, issueKey } from "../../services/api/src/api-keys/trust-policies/exchange-token.ts";
import { createIssuerKeys } from "../../services/api/src/api-keys/trust-policies/token/issuer-keys.ts";
import { serveCalls } from "../support/calls.ts";
import { quantile } from "../support/statistics.ts";

const ISSUER = "https://token.actions.githubusercontent.com";
const databaseUrl = process.env["DATABASE_URL"] ?? "";
const fail = (error: unknown) => {
  throw error;
};
const db = await createDatabasePool(databaseUrl, { max: 10, applicationName: "bench-exchange" });
const pool = createPgPool(databaseUrl, { max: 10, applicationName: "bench-exchange", onError: fail });
const { checkApiKey } = createKeyChecks(pool);
const key = await createIssuerKey("RS256");
const keys = createIssuerKeys({ read: async () => ({ keys: [{ ...key.jwk, kty: "RSA" }] }), onError: fail });
const issued: string[] = [];

async function signToken(): Promise<string> {
  return new SignJWT(githubClaims())
    .setProtectedHeader({ alg: key.alg, kid: key.kid })
    .setIssuer(ISSUER)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime("5m")
    .sign(key.privateKey);
}

async function exchange(token: string): Promise<string> {
  const { identity, policy } = await identify({ db, keys }, token);
  const origin = { address: "127.0.0.1", requestId: randomUUID() };
  return (await issueKey(db, { identity, policy, origin })).rawKey;
}

/** The median of the milliseconds that each takes, one after the other. */
async function median<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (const item of items) {
    const start = performance.now();
    await work(item);
    times.push(performance.now() - start);
  }
  return quantile(times, 0.5);
}

serveCalls({
  ready: () => 0,
  createPolicy: async (organizationId: string) => {
    const settings = {
      name: "bench",
      issuer: ISSUER,
      audience: "waymark",
      conditions: { repository_owner_id: "65", repository: "acme/*" },
      scopes: [{ permission: "scans:create" }],
      lifetimeSeconds: 3_600,
      allowedNetworks: null,
      expiresAt: null,
    };
    await withOrganization(db, organizationId, (tx) =>
      insertTrustPolicy(tx, { ...settings, organizationId, id: randomUUID(), keyId: randomUUID() }),
    );
  },
  exchange: async (count: number) => {
    const tokens = await Promise.all(Array.from({ length: count }, signToken));
    return median(tokens, async (token) => {
      issued.push(await exchange(token));
    });
  },
  check: (count: number) =>
    median(Array.from({ length: count }), async () => {
      const check = await checkApiKey(issued.at(-1) ?? "", "127.0.0.1");
      if (!check.ok) throw check.error;
    }),
});
