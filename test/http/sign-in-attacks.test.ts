import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ScriptedSignIn, outcomeOf } from "@waymark/test-support/scripted-sign-in.ts";
import type { HttpResponse } from "@waymark/test-support/http-client.ts";
import { createHash } from "node:crypto";
import { UnsecuredJWT } from "jose";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createIssuerKey } from "@waymark/test-support/issuer.ts";
import { OWN_PAGE } from "@waymark/test-support/sessions.ts";
import { query } from "@waymark/test-support/sql.ts";

// A provider that sends whatever a test says breaks each rule of RFC 9700 and OpenID Connect alone.

let world: ScriptedSignIn;
beforeAll(async () => {
  world = await ScriptedSignIn.start();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.beHonest());

it("the provider of these tests is one by which people sign in, if nothing is changed", async () => {
  const begun = await world.begin();
  expect(Object.fromEntries(begun.asked)).toEqual({
    client_id: "waymark",
    response_type: "code",
    redirect_uri: world.provider.redirectUri,
    scope: "openid email profile",
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: "S256",
  });
  expect(await outcomeOf(await world.complete(begun))).toBe("204");
  // PKCE: the verifier is sent to the token endpoint only, and the challenge is its hash.
  const verifier = world.tokenRequest.get("code_verifier") ?? "";
  expect(createHash("sha256").update(verifier).digest("base64url")).toBe(begun.asked.get("code_challenge"));
  expect(world.tokenRequest.get("redirect_uri")).toBe(world.provider.redirectUri);
});

describe("a redirect is refused", () => {
  const withQuery = (change: (redirect: URLSearchParams) => void) => async () => {
    const begun = await world.begin();
    const parameters = world.redirectOf(begun);
    change(parameters);
    return outcomeOf(await world.complete(begun, { query: parameters.toString() }));
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
    const begun = await world.begin();
    const state = begun.asked.get("state") ?? "";
    const error = {
      error: "access_denied",
      error_description: "Call 555 \u001b[31m",
      iss: world.issuer.issuer,
    };
    const answer = await world.complete(begun, {
      query: new URLSearchParams({ ...error, state }).toString(),
    });
    expect(errorOf(answer)).toMatchObject({
      code: "sign_in_refused",
      message: expect.stringMatching(/access_denied: Call 555 (?!\u001b)/),
    });
    const forged = await world.complete(await world.begin(), {
      query: new URLSearchParams({ ...error, state: "forged" }).toString(),
    });
    expect(errorOf(forged).message).not.toContain("555");
  });

  it("in a browser that did not begin it: code injection, and a login by somebody else's link (CSRF)", async () => {
    const [attacker, victim] = [await world.begin(), await world.begin()];
    expect(
      await outcomeOf(await world.complete(victim, { query: world.redirectOf(attacker).toString() })),
    ).toBe("sign_in_refused");
    expect(await outcomeOf(await world.complete(attacker, { cookie: "" }))).toBe("sign_in_expired");
    // The victim's is spent, too: a code can't be tried against many states.
    expect(await outcomeOf(await world.complete(victim))).toBe("sign_in_expired");
  });

  it("the second time, also at the same moment", async () => {
    const begun = await world.begin();
    const outcomes = await Promise.all([1, 2, 3, 4].map(async () => outcomeOf(await world.complete(begun))));
    expect(outcomes.toSorted()).toEqual(["204", ...Array(3).fill("sign_in_expired")]);
  });

  it("after ten minutes", async () => {
    const begun = await world.begin();
    await query(world.stack, "UPDATE sign_ins SET expires_at = now()");
    expect(await outcomeOf(await world.complete(begun))).toBe("sign_in_expired");
  });

  it("at the address of another provider than was asked (mix-up)", async () => {
    expect(await world.signIn({ at: world.other })).toBe("sign_in_expired");
  });

  it("with a cookie that was planted beside the browser's, or is none", async () => {
    const planted = await world.begin();
    const begun = await world.begin();
    const cookie = `${planted.cookie}; ${begun.cookie}`;
    expect(await outcomeOf(await world.complete(begun, { cookie }))).toBe("sign_in_expired");
    for (const value of ["", "wmn_", "wms_x", `${begun.cookie.split("=")[1]}a`, "%00"])
      expect(await outcomeOf(await world.complete(begun, { cookie: `waymark_sign_in=${value}` }))).toBe(
        "sign_in_expired",
      );
  });

  it.each([
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "https://evil.example" },
    {},
  ] as Record<string, string>[])("from a page of another site: %o", async (headers) => {
    expect(await outcomeOf(await world.complete(await world.begin(), { headers }))).toBe("permission_denied");
    await expect(world.begin(headers)).rejects.toThrow("permission_denied");
  });

  it("that is longer than any", async () => {
    expect(await world.signIn({ query: "x".repeat(8_193) })).toBe("validation_failed");
  });
});

describe("an ID token is refused", () => {
  const now = () => Math.floor(Date.now() / 1000);
  const sign = (change: Record<string, unknown>) => {
    world.script.idToken = (claims) => world.issuer.token({ ...claims, ...change });
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
    expect(await world.signIn()).toBe("sign_in_refused");
  });

  it("that nobody signed (alg: none)", async () => {
    world.script.idToken = async (claims) =>
      new UnsecuredJWT({ ...claims, iss: world.issuer.issuer, iat: now(), exp: now() + 300 }).encode();
    expect(await world.signIn()).toBe("sign_in_refused");
  });

  it("that was signed with the client's secret, or with the public key as one (HS256)", async () => {
    const { SignJWT } = await import("jose");
    for (const secret of [ScriptedSignIn.secret, JSON.stringify(world.issuer.keys[0]?.jwk)]) {
      world.script.idToken = (claims) =>
        new SignJWT({ ...claims, iss: world.issuer.issuer, iat: now(), exp: now() + 300 })
          .setProtectedHeader({ alg: "HS256" })
          .sign(Buffer.from(secret.padEnd(32, "x")));
      expect(await world.signIn()).toBe("sign_in_refused");
    }
  });

  it("that another key signed, whatever its header says of the key", async () => {
    const forged = await createIssuerKey("RS256");
    const [real] = world.issuer.keys;
    for (const header of [
      { kid: real?.kid ?? "" },
      // A key that the provider does not publish, as before a rotation.
      {},
      { kid: "nowhere" },
      { jwk: forged.jwk },
      { jku: "https://evil.example/keys" },
    ]) {
      world.script.idToken = (claims) => world.issuer.token(claims, { key: forged, header });
      expect(await world.signIn()).toBe("sign_in_refused");
    }
  });

  it("in an algorithm that the provider does not name, with a key that it publishes", async () => {
    const other = await createIssuerKey("ES256");
    const { keys } = world.issuer;
    world.issuer.keys = [...keys, other];
    world.script.idToken = (claims) => world.issuer.token(claims, { key: other });
    expect(await world.signIn()).toBe("sign_in_refused");
    world.issuer.keys = keys;
  });

  it("while the provider publishes no keys", async () => {
    const { keys } = world.issuer;
    world.issuer.keys = [];
    world.script.idToken = (claims) => world.issuer.token(claims, { key: keys[0] });
    expect(await world.signIn()).toBe("sign_in_refused");
    world.issuer.keys = keys;
  });

  it("that was changed after it was signed", async () => {
    world.script.idToken = async (claims) => {
      const [head, , signature] = (await world.issuer.token(claims)).split(".");
      const changed = {
        ...claims,
        iss: world.issuer.issuer,
        iat: now(),
        exp: now() + 300,
        email: "root@example.com",
      };
      return [head, Buffer.from(JSON.stringify(changed)).toString("base64url"), signature].join(".");
    };
    expect(await world.signIn()).toBe("sign_in_refused");
  });

  it("that is missing", async () => {
    world.script.idToken = async () => undefined;
    expect(await world.signIn()).toBe("sign_in_refused");
  });
});

describe("a sign-in for what needs a recent one", () => {
  const again = async (authTime: number | undefined) => {
    world.script.idToken = (claims) => world.issuer.token({ ...claims, auth_time: authTime });
    const begun = await world.begin(OWN_PAGE, { again: true });
    expect([begun.asked.get("prompt"), begun.asked.get("max_age")]).toEqual(["login", "0"]);
    return outcomeOf(await world.complete(begun));
  };
  const now = () => Math.floor(Date.now() / 1000);

  it("is refused if the provider says that it saw the credentials before it was asked", async () => {
    expect(await again(now() - 120)).toBe("sign_in_refused");
    expect(await again(now())).toBe("204");
    expect(await again(undefined)).toBe("204");
  });

  it("is as recent as the provider says, also without being asked again", async () => {
    world.script.idToken = (claims) => world.issuer.token({ ...claims, auth_time: now() - 3_600 });
    expect(await world.signIn()).toBe("204");
    const [newest] = await query<{ minutes: number }>(
      world.stack,
      `SELECT extract(epoch FROM now() - authenticated_at)::int / 60 AS minutes FROM sessions ORDER BY created_at DESC LIMIT 1`,
    );
    expect(newest?.minutes).toBe(60);
  });
});

describe("a session", () => {
  it("is a new one, whatever cookie the browser had (fixation), and that one ends", async () => {
    const first = await world.complete(await world.begin());
    const cookieOf = ({ headers }: HttpResponse<unknown>) =>
      headers
        .getSetCookie()
        .find((line) => line.startsWith("waymark_session="))
        ?.split(";")[0] ?? "";
    const begun = await world.begin();
    const second = await world.complete(begun, { cookie: `${begun.cookie}; ${cookieOf(first)}` });
    expect(cookieOf(second)).not.toBe(cookieOf(first));
    const statusOf = async (cookie: string) =>
      (await world.http.get("/api/session", { key: null, headers: { cookie } })).status;
    expect([await statusOf(cookieOf(first)), await statusOf(cookieOf(second))]).toEqual([401, 200]);
    expect(second.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^waymark_sign_in=; Path=\/; HttpOnly; SameSite=Strict; Max-Age=0$/),
      expect.stringMatching(
        /^waymark_session=wms_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
      ),
    ]);
  });
});
