import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import type { Principal } from "@waymark/shared/principals/schema.ts";
import type { IdentityProvider } from "@waymark/shared/principals/identity-providers/schema.ts";
import { UnsecuredJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createHttpClient, type HttpClient, type HttpResponse } from "@waymark/test-support/http-client.ts";
import {
  createIssuerKey,
  type IssuerServer,
  startIssuers,
  type TestIssuer,
} from "@waymark/test-support/issuer.ts";
import { OWN_PAGE } from "@waymark/test-support/sessions.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type ApiProcess, type Stack, startApiProcess, startStack } from "@waymark/test-support/stack.ts";

// An identity provider that sends whatever a test says, so that each rule of RFC 9700 and OpenID Connect is broken alone.

const SECRET = "client-secret-of-thirty-two-bytes";
const LOGOUT = "http://schemas.openid.net/event/backchannel-logout";

let issuers: IssuerServer;
let issuer: TestIssuer;
let stack: Stack;
let api: ApiProcess;
let http: HttpClient;
let provider: IdentityProvider;
let other: IdentityProvider;

/** The provider's responses, as a test changes them. */
let sent: {
  metadata: Record<string, unknown>;
  idToken: (claims: Record<string, unknown>) => Promise<string | undefined>;
  userInfo: Record<string, unknown>;
  token?: (response: ServerResponse) => void;
};
/** The body of the last request for tokens. */
let tokenRequest = new URLSearchParams();

beforeAll(async () => {
  issuers = await startIssuers();
  [stack, issuer] = await Promise.all([startStack(), issuers.add("/id")]);
  issuer.respond = (request, response) => void respond(request, response);
  const env = { NODE_EXTRA_CA_CERTS: issuers.caFile, ISSUER_EGRESS_ALLOW: issuers.egressAllow };
  api = await startApiProcess({ databaseUrl: stack.databaseUrl, env });
  http = createHttpClient(api.baseUrl, { key: stack.apiKey });
  beHonest();
  [provider, other] = [await addProvider(), await addProvider({ clientId: "other" })];
});
afterAll(async () => {
  await api.stop();
  await stack[Symbol.asyncDispose]();
  await issuers[Symbol.asyncDispose]();
});
beforeEach(beHonest);

function beHonest(): void {
  sent = { metadata: {}, idToken: (claims) => issuer.token(claims), userInfo: { sub: "mallory" } };
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? "";
  const json = (body: unknown) =>
    response.setHeader("content-type", "application/json").end(JSON.stringify(body));
  if (path.endsWith("/.well-known/openid-configuration")) return void json(metadata());
  if (path.endsWith("/keys")) return void json({ keys: issuer.keys.map(({ jwk }) => jwk) });
  if (path.endsWith("/userinfo")) return void json(sent.userInfo);
  tokenRequest = new URLSearchParams(await readText(request));
  if (sent.token !== undefined) return sent.token(response);
  const idToken = await sent.idToken(honestClaims());
  json({ access_token: "at", token_type: "Bearer", ...(idToken === undefined ? {} : { id_token: idToken }) });
}

const metadata = () => ({
  issuer: issuer.issuer,
  authorization_endpoint: `${issuer.issuer}/authorize`,
  token_endpoint: `${issuer.issuer}/token`,
  userinfo_endpoint: `${issuer.issuer}/userinfo`,
  jwks_uri: `${issuer.issuer}/keys`,
  authorization_response_iss_parameter_supported: true,
  code_challenge_methods_supported: ["S256", "plain"],
  token_endpoint_auth_methods_supported: ["client_secret_post"],
  id_token_signing_alg_values_supported: ["RS256"],
  ...sent.metadata,
});

let nonce = "";
const honestClaims = (): Record<string, unknown> => ({
  sub: "mallory",
  aud: "waymark",
  nonce,
  email: "mallory@example.com",
  email_verified: true,
  name: "Mallory",
});

const settings = (changed: Record<string, unknown> = {}) => ({
  issuer: issuer.issuer,
  displayName: "ID",
  clientId: "waymark",
  clientSecret: SECRET,
  emailDomains: ["example.com"],
  roles: [{ group: null, role: "viewer" }],
  ...changed,
});

async function addProvider(changed: Record<string, unknown> = {}): Promise<IdentityProvider> {
  const added = await http.post<IdentityProvider>("/api/identity-providers", settings(changed));
  if (added.status !== 201) throw new Error(added.text);
  return added.body;
}

interface Begun {
  /** The cookie of the browser. */
  cookie: string;
  /** The parameters of the authorization request. */
  asked: URLSearchParams;
}

async function begin(
  headers: Record<string, string> = OWN_PAGE,
  fields: Record<string, unknown> = {},
): Promise<Begun> {
  const body = { identityProviderId: provider.id, ...fields };
  const begun = await http.post<{ authorizationUrl: string }>("/api/sign-ins", body, { key: null, headers });
  if (begun.status !== 201) throw new Error(begun.text);
  const url = new URL(begun.body.authorizationUrl);
  expect(`${url.origin}${url.pathname}`).toBe(`${issuer.issuer}/authorize`);
  nonce = url.searchParams.get("nonce") ?? "";
  return { cookie: (begun.headers.get("set-cookie") ?? "").split(";")[0] ?? "", asked: url.searchParams };
}

interface Completion {
  query?: string;
  cookie?: string;
  headers?: Record<string, string>;
  at?: IdentityProvider;
}

function complete(begun: Begun, changed: Completion = {}): Promise<HttpResponse<unknown>> {
  const {
    query: text = honestQuery(begun),
    cookie = begun.cookie,
    headers = OWN_PAGE,
    at = provider,
  } = changed;
  const body = { identityProviderId: at.id, query: text };
  return http.post("/api/sign-ins/callback", body, { key: null, headers: { ...headers, cookie } });
}

const honestQuery = ({ asked }: Begun) =>
  new URLSearchParams({ code: "c", state: asked.get("state") ?? "", iss: issuer.issuer }).toString();

/** The result of a sign-in: 204, or the error's code. */
async function outcomeOf(response: HttpResponse<unknown>): Promise<string> {
  const opened = response.headers.getSetCookie().some((line) => /waymark_session=wms_/.test(line));
  expect(opened).toBe(response.status === 204);
  return response.status === 204 ? "204" : (errorOf(response).code ?? "");
}

const signIn = async (changed?: Completion) => outcomeOf(await complete(await begin(), changed));

it("the provider of these tests is one by which people sign in, if nothing is changed", async () => {
  const begun = await begin();
  expect(Object.fromEntries(begun.asked)).toEqual({
    client_id: "waymark",
    response_type: "code",
    redirect_uri: provider.redirectUri,
    scope: "openid email profile",
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: "S256",
  });
  expect(await outcomeOf(await complete(begun))).toBe("204");
  // PKCE: the verifier is sent to the token endpoint only, and the challenge is its hash.
  const verifier = tokenRequest.get("code_verifier") ?? "";
  expect(createHash("sha256").update(verifier).digest("base64url")).toBe(begun.asked.get("code_challenge"));
  expect(tokenRequest.get("redirect_uri")).toBe(provider.redirectUri);
});

describe("a redirect is refused", () => {
  const withQuery = (change: (redirect: URLSearchParams) => void) => async () => {
    const begun = await begin();
    const parameters = new URLSearchParams(honestQuery(begun));
    change(parameters);
    return outcomeOf(await complete(begun, { query: parameters.toString() }));
  };

  it.each<[string, (redirect: URLSearchParams) => void]>([
    ["without a state", (redirect) => redirect.delete("state")],
    ["with an empty state", (redirect) => redirect.set("state", "")],
    ["with another state", (redirect) => redirect.set("state", "x".repeat(43))],
    ["with two states", (redirect) => redirect.append("state", "y")],
    ["without a code", (redirect) => redirect.delete("code")],
    ["with two codes", (redirect) => redirect.append("code", "d")],
    ["without the issuer, although the provider sends it", (redirect) => redirect.delete("iss")],
    ["with another issuer (mix-up)", (redirect) => redirect.set("iss", "https://honest.example")],
    ["with two issuers", (redirect) => redirect.append("iss", "https://honest.example")],
    ["with a code and an error", (redirect) => redirect.set("error", "access_denied")],
    ["with an ID token of the front channel", (redirect) => redirect.set("id_token", "e30.e30.e30")],
  ])("%s", async (_, change) => {
    expect(await withQuery(change)()).toBe("sign_in_refused");
  });

  it("of the provider's own error, whose text is shown only if the state is right", async () => {
    const begun = await begin();
    const state = begun.asked.get("state") ?? "";
    const error = { error: "access_denied", error_description: "Call 555 \u001b[31m", iss: issuer.issuer };
    const answer = await complete(begun, { query: new URLSearchParams({ ...error, state }).toString() });
    expect(errorOf(answer)).toMatchObject({
      code: "sign_in_refused",
      message: expect.stringMatching(/access_denied: Call 555 (?!\u001b)/),
    });
    const forged = await complete(await begin(), {
      query: new URLSearchParams({ ...error, state: "forged" }).toString(),
    });
    expect(errorOf(forged).message).not.toContain("555");
  });

  it("in a browser that did not begin it: code injection, and a login by somebody else's link (CSRF)", async () => {
    const [attacker, victim] = [await begin(), await begin()];
    expect(await outcomeOf(await complete(victim, { query: honestQuery(attacker) }))).toBe("sign_in_refused");
    expect(await outcomeOf(await complete(attacker, { cookie: "" }))).toBe("sign_in_expired");
    // The victim's is spent, too: a code can't be tried against many states.
    expect(await outcomeOf(await complete(victim))).toBe("sign_in_expired");
  });

  it("the second time, also at the same moment", async () => {
    const begun = await begin();
    const outcomes = await Promise.all([1, 2, 3, 4].map(async () => outcomeOf(await complete(begun))));
    expect(outcomes.toSorted()).toEqual(["204", ...Array(3).fill("sign_in_expired")]);
  });

  it("after ten minutes", async () => {
    const begun = await begin();
    await query(stack, "UPDATE sign_ins SET expires_at = now()");
    expect(await outcomeOf(await complete(begun))).toBe("sign_in_expired");
  });

  it("at the address of another provider than was asked (mix-up)", async () => {
    expect(await signIn({ at: other })).toBe("sign_in_expired");
  });

  it("with a cookie that was planted beside the browser's, or is none", async () => {
    const planted = await begin();
    const begun = await begin();
    const cookie = `${planted.cookie}; ${begun.cookie}`;
    expect(await outcomeOf(await complete(begun, { cookie }))).toBe("sign_in_expired");
    for (const value of ["", "wmn_", "wms_x", `${begun.cookie.split("=")[1]}a`, "%00"])
      expect(await outcomeOf(await complete(begun, { cookie: `waymark_sign_in=${value}` }))).toBe(
        "sign_in_expired",
      );
  });

  it.each([
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "https://evil.example" },
    {},
  ] as Record<string, string>[])("from a page of another site: %o", async (headers) => {
    expect(await outcomeOf(await complete(await begin(), { headers }))).toBe("permission_denied");
    await expect(begin(headers)).rejects.toThrow("permission_denied");
  });

  it("that is longer than any", async () => {
    expect(await signIn({ query: "x".repeat(8_193) })).toBe("validation_failed");
  });
});

describe("an ID token is refused", () => {
  const now = () => Math.floor(Date.now() / 1000);
  const sign = (change: Record<string, unknown>) => {
    sent.idToken = (claims) => issuer.token({ ...claims, ...change });
  };

  it.each<[string, () => Record<string, unknown>]>([
    ["for another client (aud)", () => ({ aud: "another" })],
    ["for two clients without azp", () => ({ aud: ["waymark", "another"] })],
    [
      "for two clients that was given to the other one (azp)",
      () => ({ aud: ["waymark", "another"], azp: "another" }),
    ],
    ["that was given to another client (azp)", () => ({ azp: "another" })],
    ["of another issuer (iss)", () => ({ iss: "https://honest.example" })],
    ["without a nonce", () => ({ nonce: undefined })],
    ["with the nonce of another sign-in (replay)", () => ({ nonce: "n".repeat(43) })],
    ["that has expired", () => ({ exp: now() - 120 })],
    ["that is not valid yet", () => ({ nbf: now() + 600 })],
    ["without an end", () => ({ exp: undefined })],
    ["without a subject", () => ({ sub: undefined })],
    ["with an empty subject", () => ({ sub: "" })],
    ["without an audience", () => ({ aud: undefined })],
    ["without a time of issue", () => ({ iat: undefined })],
  ])("%s", async (_, change) => {
    sign(change());
    expect(await signIn()).toBe("sign_in_refused");
  });

  it("that nobody signed (alg: none)", async () => {
    sent.idToken = async (claims) =>
      new UnsecuredJWT({ ...claims, iss: issuer.issuer, iat: now(), exp: now() + 300 }).encode();
    expect(await signIn()).toBe("sign_in_refused");
  });

  it("that was signed with the client's secret, or with the public key as one (HS256)", async () => {
    const { SignJWT } = await import("jose");
    for (const secret of [SECRET, JSON.stringify(issuer.keys[0]?.jwk)]) {
      sent.idToken = (claims) =>
        new SignJWT({ ...claims, iss: issuer.issuer, iat: now(), exp: now() + 300 })
          .setProtectedHeader({ alg: "HS256" })
          .sign(Buffer.from(secret.padEnd(32, "x")));
      expect(await signIn()).toBe("sign_in_refused");
    }
  });

  it("that another key signed, whatever its header says of the key", async () => {
    const forged = await createIssuerKey("RS256");
    const [real] = issuer.keys;
    for (const header of [
      { kid: real?.kid ?? "" },
      { jwk: forged.jwk },
      { jku: "https://evil.example/keys" },
    ]) {
      sent.idToken = (claims) => issuer.token(claims, { key: forged, header });
      expect(await signIn()).toBe("sign_in_refused");
    }
  });

  it("that was changed after it was signed", async () => {
    sent.idToken = async (claims) => {
      const [head, , signature] = (await issuer.token(claims)).split(".");
      const changed = {
        ...claims,
        iss: issuer.issuer,
        iat: now(),
        exp: now() + 300,
        email: "root@example.com",
      };
      return [head, Buffer.from(JSON.stringify(changed)).toString("base64url"), signature].join(".");
    };
    expect(await signIn()).toBe("sign_in_refused");
  });

  it("that is missing", async () => {
    sent.idToken = async () => undefined;
    expect(await signIn()).toBe("sign_in_refused");
  });
});

describe("a provider's endpoints", () => {
  it("of user information may not speak of somebody else", async () => {
    sent.idToken = (claims) => issuer.token({ ...claims, email: undefined });
    sent.userInfo = { sub: "root", email: "root@example.com", email_verified: true };
    expect(await signIn()).toBe("sign_in_refused");
    sent.userInfo = { sub: "mallory", email: "mallory@example.com", email_verified: true };
    expect(await signIn()).toBe("204");
  });

  it("of user information add to what the ID token says, and change nothing of it", async () => {
    sent.idToken = (claims) =>
      issuer.token({ ...claims, sub: "new", email: "new@example.com", name: undefined });
    sent.userInfo = { sub: "new", name: "New", email: "root@example.com", email_verified: true };
    expect(await signIn()).toBe("204");
    const { body } = await http.get<{ principals: Principal[] }>("/api/principals?q=new@example.com");
    expect(body.principals).toMatchObject([{ displayName: "New", email: "new@example.com" }]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ["a redirect", (response) => response.writeHead(307, { location: `${issuer.issuer}/elsewhere` }).end()],
    ["an error of its own", (response) => response.writeHead(500).end("oops")],
    ["a page", (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>")],
    ["no end of bytes", (response) => response.writeHead(200).end(Buffer.alloc(2_000_000))],
    ["nothing", (response) => response.destroy()],
  ])("that send %s for a code open no session", async (_, token) => {
    sent.token = token;
    expect(["sign_in_refused", "identity_provider_unavailable"]).toContain(await signIn());
  });

  it("are told apart from a wrong client, which an administrator has to mend", async () => {
    sent.token = (response) =>
      response
        .writeHead(401, { "content-type": "application/json" })
        .end('{"error":"invalid_client","error_description":"secret client-secret-of"}');
    const { message } = errorOf(await complete(await begin()));
    expect(message).toContain("client id and secret");
    expect(message).not.toContain("client-secret-of");
  });
});

describe("a provider can't be set up", () => {
  const refusalOf = async (changed: Record<string, unknown>, key?: string) => {
    const options = key === undefined ? {} : { key };
    return errorOf(await http.post("/api/identity-providers", settings(changed), options));
  };

  it.each<[string, () => Record<string, unknown>, RegExp]>([
    ["without TLS", () => ({ token_endpoint: "http://127.0.0.1/token" }), /token_endpoint/],
    ["that knows only plain PKCE", () => ({ code_challenge_methods_supported: ["plain"] }), /S256/],
    ["that says it is another", () => ({ issuer: "https://honest.example" }), /./],
    ["without keys", () => ({ jwks_uri: undefined }), /jwks_uri/],
  ])("%s", async (_, change, reason) => {
    sent.metadata = change();
    expect(await refusalOf({})).toMatchObject({
      code: "identity_provider_invalid",
      message: expect.stringMatching(reason),
    });
  });

  it.each([
    ["http://id.example", "issuer"],
    ["https://user@id.example", "issuer"],
    ["https://id.example/?a", "issuer"],
    ["not an address", "issuer"],
  ])("with the issuer %s", async (name, path) => {
    expect(await refusalOf({ issuer: name })).toMatchObject({ details: [{ path }] });
  });

  it("at an address of the server's own network", async () => {
    for (const name of ["https://169.254.169.254", "https://localhost:1", "https://10.0.0.1"])
      expect(await refusalOf({ issuer: name })).toMatchObject({ code: "identity_provider_invalid" });
  });

  it("that admits everybody with an account", async () => {
    expect(await refusalOf({ emailDomains: [] })).toMatchObject({ details: [{ path: "emailDomains" }] });
  });
});

describe("a logout token", () => {
  const honest = { aud: "waymark", sub: "mallory", events: { [LOGOUT]: {} }, nbf: undefined };
  const logOut = (token: string, at = provider) =>
    http.request("POST", `/api/identity-providers/${at.id}/back-channel-logout`, {
      key: null,
      body: new URLSearchParams({ logout_token: token }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
  const openSession = async () => {
    const completed = await complete(await begin());
    const line = completed.headers.getSetCookie().find((one) => one.startsWith("waymark_session="));
    const cookie = line?.split(";")[0] ?? "";
    return async () => (await http.get("/api/session", { key: null, headers: { cookie } })).status;
  };

  it("ends sessions of every key that the person's sign-ins had", async () => {
    const statusOf = await openSession();
    // The next sign-in needs another key, because this one ends before a session would.
    await query(
      stack,
      "UPDATE api_keys SET expires_at = now() + interval '1 hour' WHERE name LIKE 'Sign-in%'",
    );
    const newer = await openSession();
    expect([await statusOf(), await newer()]).toEqual([200, 200]);
    await logOut(await issuer.token({ ...honest, iat: Math.floor(Date.now() / 1000) }));
    expect([await statusOf(), await newer()]).toEqual([401, 401]);
  });

  it("ends the person's sessions, and none that is newer when it is sent again", async () => {
    const statusOf = await openSession();
    const token = await issuer.token({ ...honest, iat: Math.floor(Date.now() / 1000) });
    expect([(await logOut(token)).status, await statusOf()]).toEqual([200, 401]);
    const newer = await openSession();
    await query(
      stack,
      "UPDATE sessions SET created_at = now() + interval '2 seconds' WHERE expires_at > now()",
    );
    expect([(await logOut(token)).status, await newer()]).toEqual([200, 200]);
  });

  it.each<[string, () => Promise<string>]>([
    ["for another client", () => issuer.token({ ...honest, aud: "another" })],
    ["of another issuer", () => issuer.token({ ...honest, iss: "https://honest.example" })],
    ["that is an ID token", () => issuer.token({ ...honest, nonce: "n" })],
    ["without the event", () => issuer.token({ ...honest, events: {} })],
    ["for nobody", () => issuer.token({ ...honest, sub: undefined })],
    ["that is old", () => issuer.token({ ...honest, iat: Math.floor(Date.now() / 1000) - 900 })],
    ["that another key signed", async () => issuer.token(honest, { key: await createIssuerKey("RS256") })],
    [
      "that nobody signed",
      async () =>
        new UnsecuredJWT({
          aud: "waymark",
          sub: "mallory",
          events: honest.events,
          iss: issuer.issuer,
        }).encode(),
    ],
    ["of another type", () => issuer.token(honest, { header: { typ: "at+jwt" } })],
    ["that is none", async () => "a.b.c"],
  ])("%s ends nothing", async (_, make) => {
    const statusOf = await openSession();
    expect([(await logOut(await make())).status, await statusOf()]).toEqual([400, 200]);
  });

  it("that names another issuer or client has the server read nothing", async () => {
    const before = issuer.requests.length;
    for (const change of [{ aud: "another" }, { iss: "https://honest.example" }])
      await logOut(await issuer.token({ ...honest, ...change }));
    await logOut("a.b.c");
    expect(issuer.requests).toHaveLength(before);
  });

  it("of one provider ends nothing of another", async () => {
    const statusOf = await openSession();
    expect([
      (await logOut(await issuer.token({ ...honest, aud: "other" }), other)).status,
      await statusOf(),
    ]).toEqual([200, 200]);
  });
});

describe("a sign-in for what needs a recent one", () => {
  const again = async (authTime: number | undefined) => {
    sent.idToken = (claims) => issuer.token({ ...claims, auth_time: authTime });
    const begun = await begin(OWN_PAGE, { again: true });
    expect([begun.asked.get("prompt"), begun.asked.get("max_age")]).toEqual(["login", "0"]);
    return outcomeOf(await complete(begun));
  };
  const now = () => Math.floor(Date.now() / 1000);

  it("is refused if the provider says that it saw the credentials before it was asked", async () => {
    expect(await again(now() - 120)).toBe("sign_in_refused");
    expect(await again(now())).toBe("204");
    expect(await again(undefined)).toBe("204");
  });

  it("is as recent as the provider says, also without being asked again", async () => {
    sent.idToken = (claims) => issuer.token({ ...claims, auth_time: now() - 3_600 });
    expect(await signIn()).toBe("204");
    const [newest] = await query<{ minutes: number }>(
      stack,
      `SELECT extract(epoch FROM now() - authenticated_at)::int / 60 AS minutes FROM sessions ORDER BY created_at DESC LIMIT 1`,
    );
    expect(newest?.minutes).toBe(60);
  });
});

describe("a session", () => {
  it("is a new one, whatever cookie the browser had (fixation), and that one ends", async () => {
    const first = await complete(await begin());
    const cookieOf = ({ headers }: HttpResponse<unknown>) =>
      headers
        .getSetCookie()
        .find((line) => line.startsWith("waymark_session="))
        ?.split(";")[0] ?? "";
    const begun = await begin();
    const second = await complete(begun, { cookie: `${begun.cookie}; ${cookieOf(first)}` });
    expect(cookieOf(second)).not.toBe(cookieOf(first));
    const statusOf = async (cookie: string) =>
      (await http.get("/api/session", { key: null, headers: { cookie } })).status;
    expect([await statusOf(cookieOf(first)), await statusOf(cookieOf(second))]).toEqual([401, 200]);
    expect(second.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^waymark_sign_in=; Path=\/; HttpOnly; SameSite=Strict; Max-Age=0$/),
      expect.stringMatching(
        /^waymark_session=wms_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
      ),
    ]);
  });
});
