import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ScriptedSignIn } from "@waymark/test-support/scripted-sign-in.ts";
import type { ServerResponse } from "node:http";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import type { Principal } from "@waymark/shared/principals/schema.ts";

let world: ScriptedSignIn;
beforeAll(async () => {
  world = await ScriptedSignIn.start();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.beHonest());

describe("a provider's endpoints", () => {
  it("of user information may not speak of somebody else", async () => {
    world.script.idToken = (claims) => world.issuer.token({ ...claims, email: undefined });
    world.script.userInfo = { sub: "root", email: "root@example.com", email_verified: true };
    expect(await world.signIn()).toBe("sign_in_refused");
    world.script.userInfo = { sub: "mallory", email: "mallory@example.com", email_verified: true };
    expect(await world.signIn()).toBe("204");
  });

  it("of user information add to what the ID token says, and change nothing of it", async () => {
    world.script.idToken = (claims) =>
      world.issuer.token({ ...claims, sub: "new", email: "new@example.com", name: undefined });
    world.script.userInfo = { sub: "new", name: "New", email: "root@example.com", email_verified: true };
    expect(await world.signIn()).toBe("204");
    const { body } = await world.http.get<{ principals: Principal[] }>("/api/principals?q=new@example.com");
    expect(body.principals).toMatchObject([{ displayName: "New", email: "new@example.com" }]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    [
      "a redirect",
      (response) => response.writeHead(307, { location: `${world.issuer.issuer}/elsewhere` }).end(),
    ],
    ["an error of its own", (response) => response.writeHead(500).end("oops")],
    ["a page", (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>")],
    ["no end of bytes", (response) => response.writeHead(200).end(Buffer.alloc(2_000_000))],
    ["nothing", (response) => response.destroy()],
  ])("that send %s for a code open no session", async (_, token) => {
    world.script.token = token;
    expect(["sign_in_refused", "identity_provider_unavailable"]).toContain(await world.signIn());
  });

  it("are told apart from a wrong client, which an administrator has to mend", async () => {
    world.script.token = (response) =>
      response
        .writeHead(401, { "content-type": "application/json" })
        .end('{"error":"invalid_client","error_description":"secret client-secret-of"}');
    const { message } = errorOf(await world.complete(await world.begin()));
    expect(message).toContain("client id and secret");
    expect(message).not.toContain("client-secret-of");
  });
});

describe("a provider can't be set up", () => {
  const refusalOf = async (changed: Record<string, unknown>, key?: string) => {
    const options = key === undefined ? {} : { key };
    return errorOf(await world.http.post("/api/identity-providers", world.settings(changed), options));
  };

  it.each<[string, () => Record<string, unknown>, RegExp]>([
    ["without TLS", () => ({ token_endpoint: "http://127.0.0.1/token" }), /token_endpoint/],
    ["that knows only plain PKCE", () => ({ code_challenge_methods_supported: ["plain"] }), /S256/],
    ["that says it is another", () => ({ issuer: "https://honest.example" }), /./],
    ["without keys", () => ({ jwks_uri: undefined }), /jwks_uri/],
  ])("%s", async (_, change, reason) => {
    world.script.metadata = change();
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
