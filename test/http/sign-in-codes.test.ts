import type { IdentityProvider } from "@waymark/shared/principals/identity-providers/schema.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { ADA, as, cookieOf, ProviderSignIn } from "@waymark/test-support/provider-sign-in.ts";
import { OWN_PAGE } from "@waymark/test-support/sessions.ts";

// Codes of a real provider (`oidc-provider`), which ends each after its use and compares client, redirect URI and PKCE verifier.

let world: ProviderSignIn;
beforeAll(async () => {
  world = await ProviderSignIn.start();
});
afterAll(() => world[Symbol.asyncDispose]());

/** A sign-in of a browser that the provider has sent back, and that is not completed. */
interface Returned {
  at: IdentityProvider;
  redirect: URL;
  cookie: string;
}

async function begin(at = world.provider, more: { body?: object; headers?: Record<string, string> } = {}) {
  const body = { identityProviderId: at.id, ...more.body };
  const headers = { ...OWN_PAGE, ...more.headers };
  const {
    status,
    headers: set,
    body: begun,
  } = await world.http.post<{ authorizationUrl: string }>("/api/sign-ins", body, { key: null, headers });
  return { status, authorizationUrl: begun.authorizationUrl, cookie: cookieOf(set, "waymark_sign_in") };
}

async function returned(at = world.provider): Promise<Returned> {
  const { authorizationUrl, cookie } = await begin(at);
  return { at, cookie, redirect: await world.idp.visit(authorizationUrl) };
}

/** Completes a sign-in, with the code of another one if that is given. @returns the status, the error's code and the session's cookie */
async function complete({ at, redirect, cookie }: Returned, code?: string | null) {
  const query = new URLSearchParams(redirect.search);
  if (code !== undefined && code !== null) query.set("code", code);
  const answer = await world.http.post(
    "/api/sign-ins/callback",
    { identityProviderId: at.id, query: query.toString() },
    { key: null, headers: { ...OWN_PAGE, cookie } },
  );
  const refusal = answer.status === 204 ? "" : (errorOf(answer).code ?? "");
  return { status: answer.status, refusal, session: cookieOf(answer.headers, "waymark_session") };
}

const codeOf = ({ redirect }: Returned) => redirect.searchParams.get("code");
const REFUSED = { status: 403, refusal: "sign_in_refused", session: "" };

it("a code that was stolen opens no session in the thief's own sign-in, whose verifier is another (PKCE)", async () => {
  const [victim, thief] = [await returned(), await returned()];
  expect(await complete(thief, codeOf(victim))).toEqual(REFUSED);
});

it("a code that was used opens no second session, and the first one goes on", async () => {
  const first = await returned();
  const { status, session } = await complete(first);
  expect(status).toBe(204);
  expect(await complete(await returned(), codeOf(first))).toEqual(REFUSED);
  expect((await world.http.get("/api/session", as(session))).status).toBe(200);
});

it("a code for one client opens no session by another one of the same provider (mix-up at the token endpoint)", async () => {
  const other = await world.addProvider({ clientId: "other" });
  const [here, there] = [await returned(), await returned(other)];
  expect(await complete(there, codeOf(here))).toEqual(REFUSED);
  expect(await complete(here, codeOf(there))).toEqual(REFUSED);
  // Nothing is wrong with either, if its own code is sent.
  for (const at of [world.provider, other]) expect((await complete(await returned(at))).status).toBe(204);
  await world.http.request("DELETE", `/api/identity-providers/${other.id}`);
});

it("a code of a browser whose person the provider no longer knows to be verified opens no session", async () => {
  const unverified = { ...ADA, sub: "eve", email: "ada@example.com", email_verified: false };
  world.idp.account = unverified;
  expect(await complete(await returned())).toEqual(REFUSED);
  world.idp.account = ADA;
});

it("the redirect URI is the provider's own, whatever the request that begins says", async () => {
  const asked = async (headers: Record<string, string>) => {
    const { authorizationUrl } = await begin(world.provider, { headers });
    return new URL(authorizationUrl).searchParams.get("redirect_uri");
  };
  for (const headers of [
    { "x-forwarded-host": "evil.example" },
    { "x-forwarded-proto": "javascript" },
    { forwarded: "host=evil.example;proto=https" },
    { "x-forwarded-prefix": "/evil" },
    { "x-original-url": "https://evil.example/" },
    { referer: "https://evil.example/" },
  ])
    expect(await asked(headers)).toBe(world.provider.redirectUri);
  for (const field of ["redirectUri", "redirect_uri", "returnTo", "next", "state", "nonce"]) {
    const { status } = await begin(world.provider, { body: { [field]: "https://evil.example/" } });
    expect([field, status]).toEqual([field, 400]);
  }
});

it("a redirect URI that was not registered is refused by the provider, so that no code leaves it", async () => {
  const { authorizationUrl } = await begin();
  for (const changed of [
    `${world.provider.redirectUri}/`,
    `${world.provider.redirectUri}?next=https://evil.example`,
    `${world.provider.redirectUri}@evil.example`,
    "https://evil.example/",
  ]) {
    const url = new URL(authorizationUrl);
    url.searchParams.set("redirect_uri", changed);
    await expect(world.idp.visit(url.href)).rejects.toThrow(/answered 400/);
  }
});
