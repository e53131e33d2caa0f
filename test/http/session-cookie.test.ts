import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outcomeOf, OWN_PAGE, signIn, signOut } from "@waymark/test-support/sessions.ts";
import { type Stack, startApi, startStack, type TestApi } from "@waymark/test-support/stack.ts";

const PLAIN = "waymark_session";
const SECURE = "__Host-waymark_session";
const HTTPS = { "x-forwarded-proto": "https" };
const MISSING = "401 missing_credentials";

let stack: Stack;
/** Without settings. */
let plain: TestApi;
/** Behind a proxy with TLS, which only PUBLIC_BASE_URL shows. */
let withBase: TestApi;
/** Behind a proxy that it trusts. */
let behindProxy: TestApi;
beforeAll(async () => {
  stack = await startStack();
  plain = stack.api;
  const start = (env: Record<string, string>) => startApi({ databaseUrl: stack.databaseUrl, env });
  withBase = await start({ PUBLIC_BASE_URL: "https://waymark.example/" });
  behindProxy = await start({ TRUST_PROXY: "loopback" });
});
afterAll(async () => {
  await withBase[Symbol.asyncDispose]();
  await behindProxy[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

const secureLine = (token: string) =>
  `${SECURE}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure`;
const plainLine = (token: string) => `${PLAIN}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200`;

describe("the session's cookie", () => {
  it("is Secure and bound to its host if PUBLIC_BASE_URL is https, without TRUST_PROXY", async () => {
    const { setCookie, token } = await signIn(withBase, stack.apiKey);
    expect(setCookie).toBe(secureLine(token));
    expect(await outcomeOf(withBase, `${SECURE}=${token}`)).toBe("200");
    const signedOut = await signOut(withBase, `${SECURE}=${token}`);
    expect(signedOut.headers.get("set-cookie")).toBe(
      `${SECURE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0; Secure`,
    );
    expect(await outcomeOf(withBase, `${SECURE}=${token}`)).toContain("401 session_ended");
  });

  it("is so if a trusted proxy forwards https, and only then", async () => {
    const overTls = await signIn(behindProxy, stack.apiKey, HTTPS);
    expect(overTls.setCookie).toBe(secureLine(overTls.token));
    const without = await signIn(behindProxy, stack.apiKey);
    expect(without.setCookie).toBe(plainLine(without.token));
    const untrusted = await signIn(plain, stack.apiKey, HTTPS);
    expect(untrusted.setCookie).toBe(plainLine(untrusted.token));
  });

  it("is accepted only under the name for the connection: over TLS, the plain name could come from anybody", async () => {
    const { token } = await signIn(plain, stack.apiKey);
    expect(await outcomeOf(plain, `${PLAIN}=${token}`)).toBe("200");
    expect(await outcomeOf(plain, `${SECURE}=${token}`)).toContain(MISSING);
    expect(await outcomeOf(withBase, `${PLAIN}=${token}`)).toContain(MISSING);
    expect(await outcomeOf(behindProxy, `${PLAIN}=${token}`, HTTPS)).toContain(MISSING);
    // A planted cookie with the other name changes nothing.
    expect(await outcomeOf(withBase, `${PLAIN}=planted; ${SECURE}=${token}`)).toBe("200");
    expect(await outcomeOf(plain, `${SECURE}=planted; ${PLAIN}=${token}`)).toBe("200");
  });

  it("is not accepted twice: of two with the same name neither is, in any order and with any value", async () => {
    const [mine, planted] = [await signIn(plain, stack.apiKey), await signIn(plain, stack.apiKey)];
    for (const other of [planted.token, mine.token, "junk", ""]) {
      for (const cookies of [
        `${PLAIN}=${mine.token}; ${PLAIN}=${other}`,
        `${PLAIN}=${other}; ${PLAIN}=${mine.token}`,
        `a=b;${PLAIN}=${other};c=d;${PLAIN}=${mine.token}; e=f`,
      ]) {
        expect(await outcomeOf(plain, cookies)).toContain(MISSING);
      }
    }
    expect(await outcomeOf(withBase, `${SECURE}=${mine.token}; ${SECURE}=${planted.token}`)).toContain(
      MISSING,
    );
    expect(await outcomeOf(plain, `a=b; ${PLAIN}=${mine.token}; c=${PLAIN}`)).toBe("200");
    expect(await outcomeOf(plain, `x${PLAIN}=${planted.token}; ${PLAIN}=${mine.token}`)).toBe("200");
    // A key in the header doesn't help, nor does the cookie help with a wrong key.
    expect(await outcomeOf(plain, mine.cookie, { authorization: "Bearer junk" })).toContain(
      "401 invalid_api_key",
    );
  });
});

describe("a request that changes something", () => {
  const tryAs = async (api: TestApi, headers: Record<string, string>) => {
    const { cookie } = await signIn(api, stack.apiKey, api === behindProxy ? HTTPS : {});
    return (await signOut(api, cookie, headers)).status;
  };

  it("must come from the page at PUBLIC_BASE_URL, and from no other that a header could name", async () => {
    expect(await tryAs(withBase, { origin: "https://waymark.example" })).toBe(200);
    expect(await tryAs(withBase, OWN_PAGE)).toBe(200);
    const own = new URL(withBase.baseUrl);
    for (const headers of [
      { origin: own.origin },
      { origin: "http://waymark.example" },
      { origin: "https://waymark.example:8443" },
      { origin: "https://waymark.example.evil.example" },
      { origin: "https://evil.example", "x-forwarded-host": "evil.example" },
      { origin: "https://waymark.example", "sec-fetch-site": "cross-site" },
    ]) {
      expect([headers, await tryAs(withBase, headers as Record<string, string>)]).toEqual([headers, 403]);
    }
  });

  it("must come from the page at the requested address, if none is configured", async () => {
    expect(await tryAs(plain, { origin: plain.baseUrl })).toBe(200);
    expect(await tryAs(plain, { origin: "https://evil.example", "x-forwarded-host": "evil.example" })).toBe(
      403,
    );
    const proxied = { ...HTTPS, "x-forwarded-host": "waymark.example" };
    expect(await tryAs(behindProxy, { ...proxied, origin: "https://waymark.example" })).toBe(200);
    expect(await tryAs(behindProxy, { ...proxied, origin: behindProxy.baseUrl })).toBe(403);
  });
});
