import { AppError } from "@waymark/shared/errors/app-error.ts";
import { type IssuerServer, startIssuers, type TestIssuer } from "@waymark/test-support/issuer.ts";
import { parseEgressAllowances } from "@waymark/journey-transport/egress.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createIssuerKeys } from "./issuer-keys.ts";
import { parseToken } from "./parse-token.ts";
import { createIssuerReader, type IssuerReader } from "./read-issuer.ts";
import { verifyToken } from "./verify-token.ts";

let issuers: IssuerServer;
let issuer: TestIssuer;
let reader: IssuerReader;
let at = 0;
beforeAll(async () => {
  issuers = await startIssuers();
  reader = createIssuerReader({
    egressAllow: parseEgressAllowances(issuers.egressAllow),
    extraCa: issuers.ca,
  });
});
afterAll(async () => {
  reader[Symbol.dispose]();
  await issuers[Symbol.asyncDispose]();
});
beforeEach(async () => {
  issuer = await issuers.add(`/issuer-${at++}`, "ES256");
});

/** Keys with a clock that the test moves, and what could not be read. */
function keysAt() {
  const clock = { now: Date.now() };
  const errors: string[] = [];
  const keys = createIssuerKeys({
    read: reader.read,
    onError: (error) => errors.push(String(error)),
    now: () => clock.now,
  });
  const verify = async (text: string) => {
    const token = parseToken(text);
    if (token === undefined) throw new Error("it is no token");
    return verifyToken(keys, token, ["one"]);
  };
  return { clock, errors, verify };
}

const claims = { sub: "x", aud: "waymark" };

describe("an issuer", () => {
  it.each(["RS256", "PS384", "ES384", "EdDSA"])("signs tokens with %s", async (alg) => {
    await issuer.rotate(alg);
    expect(await keysAt().verify(await issuer.token(claims))).toMatchObject({
      subject: "x",
      fault: undefined,
    });
  });

  it("is read once for many tokens, also at the same time", async () => {
    const { verify } = keysAt();
    const tokens = await Promise.all(Array.from({ length: 5 }, () => issuer.token(claims)));
    await Promise.all(tokens.map(verify));
    await verify(await issuer.token(claims));
    expect(issuer.requests).toEqual(["/.well-known/openid-configuration", "/keys"]);
  });

  it("rotates its keys: an unknown key is read, at most twice a minute", async () => {
    const { clock, verify } = keysAt();
    const [old] = issuer.keys;
    await verify(await issuer.token(claims));
    await issuer.rotate("ES256", { keepOld: true });
    expect(await verify(await issuer.token(claims))).toBeUndefined();
    expect(issuer.requests).toHaveLength(2);
    clock.now += 30_000;
    expect(await verify(await issuer.token(claims))).toMatchObject({ subject: "x" });
    expect(await verify(await issuer.token(claims, { key: old }))).toMatchObject({ subject: "x" });
    await issuer.rotate("ES256");
    clock.now += 600_000;
    expect(await verify(await issuer.token(claims, { key: old }))).toBeUndefined();
    expect(issuer.requests).toHaveLength(6);
  });

  it("that is down does not end builds for an hour, and is asked again after a pause", async () => {
    const { clock, errors, verify } = keysAt();
    await verify(await issuer.token(claims));
    issuer.respond = (_, response) => response.writeHead(503).end();
    clock.now += 600_000;
    expect(await verify(await issuer.token(claims))).toMatchObject({ subject: "x" });
    expect(await verify(await issuer.token(claims))).toMatchObject({ subject: "x" });
    expect(errors).toEqual([expect.stringContaining("responded with 503")]);
    clock.now += 3_600_000;
    await expect(verify(await issuer.token(claims))).rejects.toMatchObject({
      code: "issuer_unavailable",
      data: { retryAfterSeconds: 10 },
    });
    issuer.respond = undefined;
    await expect(verify(await issuer.token(claims))).rejects.toThrow(AppError);
    clock.now += 10_000;
    expect(await verify(await issuer.token(claims))).toMatchObject({ subject: "x" });
  });

  it.each<[string, NonNullable<TestIssuer["respond"]>, RegExp]>([
    [
      "10 MB",
      (_, response) => response.end(`{"issuer":"${"x".repeat(10_000_000)}"}`),
      /larger than 131072 bytes/,
    ],
    [
      "a redirect",
      (_, response) => response.writeHead(302, { location: "https://example.com/" }).end(),
      /responded with 302/,
    ],
    ["no JSON", (_, response) => response.end("<html>"), /SyntaxError/],
    [
      "another issuer",
      (_, response) => response.end('{"issuer":"https://x","jwks_uri":"https://x"}'),
      /another issuer/,
    ],
    [
      "keys without TLS",
      (_, response) =>
        response.end(JSON.stringify({ issuer: issuer.issuer, jwks_uri: "http://127.0.0.1/keys" })),
      /no https:\/\/ address/,
    ],
    [
      "keys at a private address",
      (_, response) =>
        response.end(JSON.stringify({ issuer: issuer.issuer, jwks_uri: "https://169.254.169.254/keys" })),
      /no public address.*/,
    ],
    ["a closed connection", (request) => request.socket.destroy(), /failed/],
  ])("that sends %s can't be read", async (_, respond, reason) => {
    issuer.respond = respond;
    const { errors, verify } = keysAt();
    await expect(verify(await issuer.token(claims))).rejects.toMatchObject({ code: "issuer_unavailable" });
    expect(errors).toEqual([expect.stringMatching(reason)]);
  });

  it("at a private address is not connected to, unless the operator opens it", async () => {
    using closed = createIssuerReader({ egressAllow: [], extraCa: issuers.ca });
    await expect(closed.read(issuer.issuer)).rejects.toThrow(/no public address/);
    expect(issuer.requests).toEqual([]);
  });

  it("with a certificate that nobody signed is not read", async () => {
    using plain = createIssuerReader({ egressAllow: parseEgressAllowances(issuers.egressAllow) });
    await expect(plain.read(issuer.issuer)).rejects.toThrow(/certificate/);
  });

  it("with more keys than a hundred, or other things than keys, is not read", async () => {
    const [key] = issuer.keys;
    if (key === undefined) throw new Error("there is no key");
    issuer.keys = Array.from({ length: 101 }, () => key);
    await expect(keysAt().verify(await issuer.token(claims))).rejects.toMatchObject({
      code: "issuer_unavailable",
    });
  });
});

describe("a token's times", () => {
  const now = () => Math.floor(Date.now() / 1000);
  it.each<[string, () => Record<string, number>, string]>([
    ["within the skew of the clocks", () => ({ exp: now() - 30, nbf: now() + 30, iat: now() + 30 }), ""],
    ["expired", () => ({ exp: now() - 90 }), "has expired"],
    ["not valid yet", () => ({ nbf: now() + 120 }), "is not valid yet"],
    ["issued in the future", () => ({ iat: now() + 120 }), "issued in the future"],
    ["valid for more than a day", () => ({ exp: now() + 90_000 }), "more than 24 hours"],
  ])("%s", async (_, times, fault) => {
    const verified = await keysAt().verify(await issuer.token({ ...claims, ...times() }));
    expect(verified?.fault ?? "").toContain(fault);
  });
});

it("that hangs keeps no token of another organization from being verified", async () => {
  const hanging = Promise.withResolvers<never>();
  const asked: string[] = [];
  const keys = createIssuerKeys({
    read: (name) => {
      asked.push(name);
      return name.startsWith("https://hangs") ? hanging.promise : reader.read(name);
    },
    onError: () => undefined,
  });
  const find = (name: string, ...organizationIds: string[]) =>
    keys.find({ issuer: name, keyId: undefined, organizationIds });
  const hangs = Array.from({ length: 20 }, (_, n) =>
    find(`https://hangs-${n}.example`, "many").catch(toCode),
  );
  await expect(find(issuer.issuer, "many").catch(toCode)).resolves.toBe("issuer_unavailable");
  await expect(find(issuer.issuer, "many", "other").catch(toCode)).resolves.toEqual(expect.any(Function));
  expect(asked).toHaveLength(5);
  hanging.reject(new Error("it hung"));
  expect(await Promise.all(hangs)).toEqual(Array(20).fill("issuer_unavailable"));
});

const toCode = (error: unknown) => (error instanceof AppError ? error.code : error);
