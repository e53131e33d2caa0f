import { createHmac, createPublicKey } from "node:crypto";
import type { TokenExchangeResult } from "@waymark/shared/api-keys/trust-policies/schema.ts";
import { type JWK, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHttpClient, type HttpClient, type HttpResponse } from "@waymark/test-support/http-client.ts";
import {
  createIssuerKey,
  githubClaims,
  type IssuerKey,
  type IssuerServer,
  startIssuers,
  type TestIssuer,
} from "@waymark/test-support/issuer.ts";
import { announceSeed, createRandom, scaled } from "@waymark/test-support/scale.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type ApiProcess, type Stack, startApiProcess, startStack } from "@waymark/test-support/stack.ts";

const GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
const JWT = "urn:ietf:params:oauth:token-type:jwt";
const TOKENS = scaled({ short: 500, long: 5_000 });
const AT_A_TIME = 20;

let issuers: IssuerServer;
let issuer: TestIssuer;
/** Signs tokens with the same subjects. No policy names it. */
let other: TestIssuer;
let strangers: IssuerKey;
let stack: Stack;
let api: ApiProcess;
let http: HttpClient;
beforeAll(async () => {
  announceSeed();
  issuers = await startIssuers();
  [stack, issuer, other, strangers] = await Promise.all([
    startStack(),
    issuers.add("/ours/_services/token"),
    issuers.add("/other/_services/token"),
    createIssuerKey("RS256"),
  ]);
  const env = {
    NODE_EXTRA_CA_CERTS: issuers.caFile,
    ISSUER_EGRESS_ALLOW: issuers.egressAllow,
    RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "off",
  };
  api = await startApiProcess({ databaseUrl: stack.databaseUrl, env });
  http = createHttpClient(api.baseUrl, { key: stack.apiKey });
  const policy = {
    name: "ours",
    issuer: issuer.issuer,
    audience: "waymark",
    conditions: { repository_owner_id: "65", repository: "acme/*", ref: "refs/heads/main" },
    scopes: ["scans:create"],
  };
  const { status, text } = await http.post("/api/trust-policies", policy);
  if (status !== 201) throw new Error(text);
});
afterAll(async () => {
  await api.stop();
  await stack[Symbol.asyncDispose]();
  await issuers[Symbol.asyncDispose]();
});

function exchange(token: string): Promise<HttpResponse<TokenExchangeResult>> {
  const body = { grant_type: GRANT, subject_token: token, subject_token_type: JWT };
  return http.post("/api/token-exchange", body, { key: null });
}

const now = () => Math.floor(Date.now() / 1000);
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const random = createRandom("hostile tokens");

/** Signs with HMAC, with the issuer's public key as the secret: the classic confusion of algorithms. */
function confused(secret: string | Buffer, alg = "HS256"): string {
  const kid = issuer.keys[0]?.kid;
  const usual = { iss: issuer.issuer, iat: now(), exp: now() + 300, jti: crypto.randomUUID() };
  const signed = `${base64({ alg, kid, typ: "JWT" })}.${base64({ ...usual, ...githubClaims() })}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

const publicPem = () =>
  createPublicKey({ key: issuer.keys[0]?.jwk ?? {}, format: "jwk" }).export({
    type: "spki",
    format: "pem",
  });

/** Signed by a stranger's key, which the header offers in each way that a header can. */
async function offered(header: Record<string, unknown>): Promise<string> {
  const usual = { iss: issuer.issuer, iat: now(), exp: now() + 300, jti: crypto.randomUUID() };
  return new SignJWT({ ...usual, ...githubClaims() })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...header })
    .sign(strangers.privateKey);
}

/** Changes one character of one part of a genuine token. */
async function changed(part: 0 | 1 | 2): Promise<string> {
  const parts = (await issuer.token(githubClaims())).split(".");
  const text = parts[part] ?? "";
  // The last character may have bits that do not count.
  const at = random.integer(0, text.length - 2);
  const replaced = text[at] === "A" ? "B" : "A";
  parts[part] = text.slice(0, at) + replaced + text.slice(at + 1);
  return parts.join(".");
}

const genuine = (claims: Record<string, unknown>, header: Record<string, unknown> = {}) =>
  issuer.token(githubClaims(claims), { header });

const ownKid = () => issuer.keys[0]?.kid ?? "";
const jwk = (): JWK => strangers.jwk;

const MUTATIONS: Readonly<Record<string, () => Promise<string> | string>> = {
  "a changed header": () => changed(0),
  "changed claims": () => changed(1),
  "a changed signature": () => changed(2),
  "no signature": async () => (await genuine({})).replace(/[^.]*$/, ""),
  "alg none": async () => `${base64({ alg: "none" })}.${(await genuine({})).split(".")[1]}.`,
  "alg None with the signature": async () =>
    (await genuine({})).replace(/^[^.]*/, base64({ alg: "None", kid: ownKid() })),
  "HMAC with the public key": () => confused(publicPem()),
  "HMAC with the key as JSON": () => confused(JSON.stringify(issuer.keys[0]?.jwk)),
  "HMAC with nothing": () => confused(""),
  "HMAC that says RS256": () => confused(publicPem(), "RS256"),
  "HS512 in other words": () => confused(publicPem(), "hs512"),
  "a stranger's key with the known kid": () => offered({ kid: ownKid() }),
  "a stranger's key in jwk": () => offered({ kid: ownKid(), jwk: jwk() }),
  "a stranger's key at jku": () => offered({ kid: strangers.kid, jku: `${other.issuer}/keys` }),
  "a stranger's key at x5u": () => offered({ kid: strangers.kid, x5u: `${other.issuer}/keys` }),
  "a stranger's x5c": () => offered({ kid: ownKid(), x5c: ["AAAA"] }),
  "a kid that is a path": () => offered({ kid: "../../../../dev/null" }),
  "a kid that is SQL": () => offered({ kid: "' OR '1'='1" }),
  "a kid that is a prototype's": () => offered({ kid: "__proto__" }),
  "a critical header": async () =>
    `${base64({ alg: "RS256", kid: ownKid(), crit: ["x"], x: 1 })}.${(await genuine({})).split(".").slice(1).join(".")}`,
  "another issuer with the same claims": () => other.token(githubClaims()),
  "another issuer that says it is ours": () => other.token(githubClaims({ iss: issuer.issuer })),
  "ours that says it is another": () => genuine({ iss: other.issuer }),
  "an issuer with a slash more": () => genuine({ iss: `${issuer.issuer}/` }),
  "another audience": () =>
    genuine({ aud: random.pick(["waymark2", "Waymark", "waymark ", "https://waymark"]) }),
  "no audience": () => genuine({ aud: random.pick([undefined, "", []]) }),
  "a long list of audiences": () =>
    genuine({ aud: [...Array.from({ length: 30 }, (_, i) => `a${i}`), "waymark"] }),
  "an expired token": () => genuine({ exp: now() - random.integer(61, 1_000_000) }),
  "a token without an end": () => genuine({ exp: random.pick([undefined, null, "soon", Number.MAX_VALUE]) }),
  "a token of the future": () => genuine({ iat: now() + random.integer(70, 100_000), exp: now() + 200_000 }),
  "a token that is not valid yet": () => genuine({ nbf: now() + random.integer(70, 100_000) }),
  "a token for years": () => genuine({ exp: now() + 365 * 86_400 }),
  "an access token": () => genuine({}, { typ: "at+jwt" }),
  "another owner's id": () =>
    genuine({ repository_owner_id: random.pick(["66", "650", "6", "065", 6, null, { a: "65" }]) }),
  "an owner's name that begins alike": () =>
    genuine({ repository: random.pick(["acme-evil/x", "acme", "Acme/x", " acme/x"]) }),
  "another branch": () =>
    genuine({ ref: random.pick(["refs/heads/main2", "refs/heads/Main", "refs/pull/1/merge", ["x"]]) }),
  "an oversized token": () => genuine({ padding: "x".repeat(17_000) }),
  "too many claims": () => genuine(Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`c${i}`, i]))),
  "an encrypted form": async () => `${(await genuine({})).split(".").slice(0, 2).join(".")}.a.b.c`,
  "white space": async () => ` ${await genuine({})}\n`,
  "a list as the claims": () => `${base64({ alg: "RS256", kid: ownKid() })}.${base64([1])}.AAAA`,
  "a kind of id": () => genuine({ jti: random.pick<unknown>([1, null, {}, "", ["x"]]) }),
};

describe("a mutated token", () => {
  it(
    `is never accepted: ${TOKENS} of ${Object.keys(MUTATIONS).length} kinds`,
    { timeout: 600_000 },
    async () => {
      const kinds = Object.entries(MUTATIONS);
      const accepted: string[] = [];
      const statuses = new Set<number>();
      for (let done = 0; done < TOKENS; done += AT_A_TIME) {
        const batch = Array.from({ length: AT_A_TIME }, (_, index) => kinds[(done + index) % kinds.length]);
        await Promise.all(
          batch.map(async (kind) => {
            if (kind === undefined) return;
            const { status, text } = await exchange(await kind[1]());
            statuses.add(status);
            if (status < 400 || status >= 500) accepted.push(`${kind[0]}: ${status} ${text}`);
          }),
        );
      }
      expect(accepted).toEqual([]);
      expect([...statuses].toSorted((a, b) => a - b)).toEqual([400, 401, 403]);
      const [row] = await query<{ count: number }>(
        stack,
        "SELECT count(*)::int AS count FROM exchanged_tokens",
      );
      expect(row?.count).toBe(0);
      expect(other.requests).toEqual([]);
      // A genuine token is accepted, once.
      const token = await issuer.token(githubClaims());
      expect((await exchange(token)).status).toBe(200);
      expect((await exchange(token)).status).toBe(409);
    },
  );
});
