import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import type { IdentityProvider as Described } from "@waymark/shared/principals/identity-providers/schema.ts";
import type { Principal } from "@waymark/shared/principals/schema.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { errorOf, makeKey } from "@waymark/test-support/api-keys.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import type { Browser } from "@waymark/test-support/identity-provider.ts";
import {
  ADA,
  as,
  CLIENT,
  cookieOf,
  ProviderSignIn,
  rolesOf,
} from "@waymark/test-support/provider-sign-in.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { storeTeam } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { startApi } from "@waymark/test-support/stack.ts";

let world: ProviderSignIn;
beforeAll(async () => {
  world = await ProviderSignIn.start();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => {
  world.idp.account = ADA;
});

const eventsOf = async ({ id }: Principal) =>
  (await world.http.get<{ auditEvents: AuditEvent[] }>(`/api/audit-events?actorPrincipalId=${id}`)).body;

describe("a sign-in by an identity provider", () => {
  it("makes the user at the first time, with the roles of the groups, and opens a session", async () => {
    const { status, cookie } = await world.signIn();
    expect(status).toBe(204);
    const user = await world.userOf("ada@example.com");
    expect(await world.sessionOf(cookie)).toMatchObject({
      organizationId: world.stack.organizationId,
      principal: { id: user.id, displayName: "Ada Lovelace" },
      identityProviderId: world.provider.id,
    });
    expect(user).toMatchObject({ displayName: "Ada Lovelace", email: "ada@example.com", createdBy: null });
    expect(user.roleGrants).toMatchObject([
      { role: "viewer", serviceNames: null, identityProviderId: world.provider.id },
      { role: "developer", serviceNames: ["shop-*"], identityProviderId: world.provider.id },
    ]);
    const { auditEvents } = await eventsOf(user);
    expect(auditEvents.map(({ action, actor }) => [action, actor?.id].join(" ")).toSorted()).toEqual([
      `api_key.created ${user.id}`,
      `principal.created ${user.id}`,
      `role.granted ${user.id}`,
      `role.granted ${user.id}`,
      `session.created ${user.id}`,
    ]);
  });

  it("finds the user again by the subject, and gives and takes roles by the groups of now", async () => {
    const first = await world.signIn();
    world.idp.account = { ...ADA, email: "ada.king@example.com", groups: [] };
    const second = await world.signIn();
    const session = await world.sessionOf(second.cookie);
    expect(session.principal).toEqual((await world.sessionOf(first.cookie)).principal);
    // One key for all of a user's sessions, whose secret nobody has.
    expect(session.apiKeyId).toBe((await world.sessionOf(first.cookie)).apiKeyId);
    const user = await world.userOf("ada@example.com");
    expect(rolesOf(user)).toEqual(["viewer"]);
    world.idp.account = ADA;
    await world.signIn();
    expect(rolesOf(await world.userOf("ada@example.com"))).toEqual(["developer", "viewer"]);
  });

  it("is that of the user who was invited with the address, in any case", async () => {
    const invited = await world.http.post<{ url: string }>("/api/invitations", {
      email: "Bob@Example.com",
      roles: [{ role: "journey-editor" }],
    });
    const token = invited.body.url.split("=").at(-1);
    await world.http.post("/api/invitation-acceptances", { token, displayName: "Bob" }, { key: null });
    world.idp.account = { ...ADA, sub: "bob", email: "bob@example.com", name: "Robert" };
    expect((await world.signIn()).status).toBe(204);
    const user = await world.userOf("bob@example.com");
    expect(user.displayName).toBe("Bob");
    expect(rolesOf(user)).toEqual(["developer", "journey-editor", "viewer"]);
    const { auditEvents } = await eventsOf(user);
    expect(auditEvents.map(({ action }) => action)).toContain("principal.linked");
    // Another account with the address that the first one has here.
    world.idp.account = { ...world.idp.account, sub: "bob-2" };
    expect(await world.signIn()).toMatchObject({ status: 403, code: "sign_in_refused" });
  });

  it("ends the keys that the user had before the first one: whoever accepted the invitation may be somebody else", async () => {
    const inviter = await createKey(world.stack, ["principals:manage", "services:read"]);
    await world.http.request("PUT", "/api/roles/reader", { body: { permissions: ["services:read"] } });
    const invited = await world.http.post<{ url: string }>(
      "/api/invitations",
      { email: "boss@example.com", roles: [{ role: "reader" }] },
      { key: inviter },
    );
    const token = invited.body.url.split("=").at(-1);
    const accepted = await world.http.post<{ rawKey: string }>(
      "/api/invitation-acceptances",
      { token, displayName: "Boss" },
      { key: null },
    );
    const key = accepted.body.rawKey;
    expect((await world.http.get("/api/services", { key })).status).toBe(200);
    world.idp.account = { ...ADA, sub: "boss", email: "boss@example.com" };
    const { cookie } = await world.signIn();
    expect(errorOf(await world.http.get("/api/services", { key })).code).toBe("api_key_revoked");
    // Keys that the person makes from now on stay, also after a sign-in by another provider.
    const user = await world.userOf("boss@example.com");
    const own = {
      name: "own",
      ownerPrincipalType: "user",
      ownerPrincipalId: user.id,
      scopes: ["services:read"],
    };
    const made = await world.http.post<{ rawKey: string }>("/api/api-keys", own, as(cookie));
    const second = await world.addProvider({ clientId: "second" });
    expect((await world.signIn({ at: second })).status).toBe(204);
    expect((await world.http.get("/api/services", { key: made.body.rawKey })).status).toBe(200);
    await world.http.request("DELETE", `/api/identity-providers/${second.id}`);
  });

  it("by a provider that replaces a deleted one ends no keys of a user whom the deleted one had proved", async () => {
    const old = await world.addProvider({ clientId: "second" });
    world.idp.account = { ...ADA, sub: "ivy", email: "ivy@example.com" };
    const { cookie } = await world.signIn({ at: old });
    const { id: ownerPrincipalId } = await world.userOf("ivy@example.com");
    const own = { name: "own", ownerPrincipalType: "user", ownerPrincipalId, scopes: ["services:read"] };
    const made = await world.http.post<{ rawKey: string }>("/api/api-keys", own, as(cookie));
    await world.http.request("DELETE", `/api/identity-providers/${old.id}`);
    expect((await world.signIn()).status).toBe(204);
    expect((await world.http.get("/api/services", { key: made.body.rawKey })).status).toBe(200);
  });

  it("is refused for a disabled user, whose sessions end with the next request", async () => {
    world.idp.account = { ...ADA, sub: "eve", email: "eve@example.com" };
    const { cookie } = await world.signIn();
    const { id } = await world.userOf("eve@example.com");
    await world.http.post(`/api/principals/${id}/disable`);
    expect((await world.http.get("/api/session", as(cookie))).status).toBe(401);
    expect(await world.signIn()).toMatchObject({ status: 401, code: "principal_disabled", cookie: "" });
  });

  it("extends the key of the user's sessions that ends soon or has expired, and leaves its sessions ended", async () => {
    world.idp.account = { ...ADA, sub: "kim", email: "kim@example.com" };
    const { cookie: first } = await world.signIn();
    const user = await world.userOf("kim@example.com");
    const { apiKeyId } = await world.sessionOf(first);
    const ends = (interval: string) =>
      query(world.stack, `UPDATE api_keys SET expires_at = now() + interval '${interval}' WHERE id = $1`, [
        apiKeyId,
      ]);
    await ends("1 hour");
    const { cookie: second } = await world.signIn();
    expect((await world.sessionOf(second)).apiKeyId).toBe(apiKeyId);
    await ends("-1 hour");
    const { cookie: third } = await world.signIn();
    expect((await world.sessionOf(third)).apiKeyId).toBe(apiKeyId);
    for (const cookie of [first, second])
      expect((await world.http.get("/api/session", as(cookie))).status).toBe(401);
    const extended = (await eventsOf(user)).auditEvents.filter(({ action }) => action === "api_key.extended");
    expect(extended.map(({ details }) => details)).toEqual(
      [1, 2].map(() => ({ expiresAt: null, identityProviderId: world.provider.id })),
    );
    expect((await world.http.post(`/api/api-keys/${apiKeyId}/revoke`, {})).status).toBe(200);
    const { cookie: fourth } = await world.signIn();
    expect((await world.sessionOf(fourth)).apiKeyId).not.toBe(apiKeyId);
  });

  it("goes on when the provider's keys are rotated, and when the client's secret is", async () => {
    await world.idp.rotateKeys();
    expect((await world.signIn()).status).toBe(204);
    const secret = "another-secret-of-the-client";
    world.idp.register({ ...CLIENT, client_secret: secret, redirect_uris: [world.provider.redirectUri] });
    expect(await world.signIn()).toMatchObject({
      status: 403,
      message: expect.stringContaining("invalid_client"),
    });
    const path = `/api/identity-providers/${world.provider.id}`;
    const changed = await world.http.request("PUT", path, { body: world.settings({ clientSecret: secret }) });
    expect([changed.status, changed.text.includes(secret)]).toEqual([200, false]);
    expect((await world.signIn()).status).toBe(204);
    // Without a secret in the request it stays.
    await world.http.request("PUT", path, { body: world.settings({ clientSecret: undefined }) });
    expect((await world.signIn()).status).toBe(204);
    await world.http.request("PUT", path, { body: world.settings() });
    world.idp.register({
      ...CLIENT,
      redirect_uris: [world.provider.redirectUri],
      backchannel_logout_uri: world.provider.backChannelLogoutUri,
    });
  });

  it("works for a public client, by PKCE alone", async () => {
    const at = await world.addProvider({ clientId: "public", clientSecret: null });
    world.idp.register({ client_id: "public", redirect_uris: [at.redirectUri] });
    expect(at.hasClientSecret).toBe(false);
    world.idp.account = { ...ADA, sub: "joan", email: "joan@example.com" };
    expect((await world.signIn({ at })).status).toBe(204);
    // The last provider's sessions and roles end with it, and the user stays.
    const first = await world.signIn({ at });
    const second = await world.signIn({ at });
    await world.http.request("DELETE", `/api/identity-providers/${at.id}`);
    for (const { cookie } of [first, second])
      expect((await world.http.get("/api/session", as(cookie))).status).toBe(401);
    expect(rolesOf(await world.userOf("joan@example.com"))).toEqual([]);
  });
});

describe("the end of a session", () => {
  it("by the provider's back-channel logout ends the sessions of that browser, and no others", async () => {
    const browser: Browser = new Map();
    const first = await world.signIn({ browser });
    const second = await world.signIn();
    await world.idp.logOut(browser);
    await expect.poll(async () => (await world.http.get("/api/session", as(first.cookie))).status).toBe(401);
    expect((await world.http.get("/api/session", as(second.cookie))).status).toBe(200);
  });

  it("by signing out leaves nothing of the cookie", async () => {
    const { cookie } = await world.signIn();
    await world.http.request("DELETE", "/api/session", as(cookie));
    expect((await world.http.get("/api/session", as(cookie))).status).toBe(401);
  });
});

describe("what can do much harm", () => {
  const age = (cookie: string, minutes: number) =>
    query(
      world.stack,
      "UPDATE sessions SET authenticated_at = now() - $2 * interval '1 minute' WHERE token_hash = sha256($1::bytea)",
      [cookie.split("=")[1], minutes],
    );

  it("needs a recent sign-in, for which the provider asks for the credentials again", async () => {
    world.idp.account = { ...ADA, sub: "root", email: "root@example.com" };
    await world.signIn();
    const { id } = await world.userOf("root@example.com");
    await world.http.post(`/api/principals/${id}/role-grants`, { role: "administrator" });
    const browser: Browser = new Map();
    const old = await world.signIn({ browser });
    await age(old.cookie, 16);
    const body = { issuer: world.idp.issuer, ...world.settings() };
    const add = (cookie: string) => world.http.post("/api/identity-providers", body, as(cookie));
    expect(errorOf(await add(old.cookie)).code).toBe("recent_sign_in_required");
    // It may go on to do what it may do otherwise.
    expect((await world.http.get("/api/identity-providers", as(old.cookie))).status).toBe(200);
    const again = await world.signIn({ browser, again: true });
    expect(again.status).toBe(204);
    const added = await world.http.post<Described>("/api/identity-providers", body, as(again.cookie));
    expect(added.status).toBe(201);
    await world.http.request("DELETE", `/api/identity-providers/${added.body.id}`);
  });

  it("is refused to an old session of a key, too: so is what would get around it", async () => {
    const signedIn = await world.http.post("/api/session", { apiKey: world.stack.apiKey }, { key: null });
    const cookie = cookieOf(signedIn.headers, "waymark_session");
    await age(cookie, 16);
    const apiKey = await makeKey(world.stack, { name: "second", scopes: ["*"] });
    const none = world.provider.id;
    const role = { role: "viewer" };
    const policy = {
      name: "p",
      issuer: "https://ci.example",
      audience: "w",
      conditions: { a: "b" },
      scopes: ["*"],
    };
    const codes = [
      await world.http.post(
        "/api/api-keys",
        { name: "k", ownerPrincipalType: "service_account", scopes: ["*"] },
        as(cookie),
      ),
      await world.http.post(`/api/api-keys/${none}/rotate`, {}, as(cookie)),
      await world.http.post("/api/invitations", { email: "eve@example.com", roles: [role] }, as(cookie)),
      await world.http.post(`/api/principals/${none}/role-grants`, role, as(cookie)),
      await world.http.post(`/api/teams/${none}/role-grants`, role, as(cookie)),
      await world.http.request("PUT", `/api/teams/${none}/members/${none}`, as(cookie)),
      await world.http.post(`/api/principals/${none}/enable`, {}, as(cookie)),
      await world.http.post(`/api/api-keys/${none}/enable`, {}, as(cookie)),
      await world.http.request("PUT", "/api/roles/mine", { ...as(cookie), body: { permissions: ["*"] } }),
      await world.http.post("/api/trust-policies", policy, as(cookie)),
      await world.http.request("PUT", `/api/trust-policies/${none}`, { ...as(cookie), body: policy }),
      await world.http.request("DELETE", `/api/services/${world.provider.id}?name=x`, as(cookie)),
      await world.http.post("/api/api-key-revocations", { apiKeyIds: [apiKey.id] }, as(cookie)),
      await world.http.post(`/api/api-keys/${apiKey.id}/revoke`, {}, as(cookie)),
    ].map((answer) => errorOf(answer).code);
    expect(codes).toEqual(Array(14).fill("recent_sign_in_required"));
    // With the key itself it works: whoever has it can sign in.
    expect((await world.http.post(`/api/api-keys/${apiKey.id}/revoke`)).status).toBe(200);
  });
});

describe("giving rights by a team's slug or by a service's owner", () => {
  it("needs a recent sign-in, and what changes neither does not", async () => {
    const { http, stack } = world;
    const team = await storeTeam(stack, "givers");
    await http.post(`/api/teams/${team}/role-grants`, { role: "developer", ownedBy: "givers" });
    const { body } = await ingest(stack, scanPayload({ serviceName: "given", endpoints: 1 }));
    const signedIn = await http.post("/api/session", { apiKey: stack.apiKey }, { key: null });
    const cookie = cookieOf(signedIn.headers, "waymark_session");
    await query(stack, "UPDATE sessions SET authenticated_at = now() - interval '16 minutes'");
    const changeTeam = (change: object) =>
      http.request("PATCH", `/api/teams/${team}`, { ...as(cookie), body: change });
    const changeService = (change: object) =>
      http.request("PATCH", `/api/services/${body.serviceId}`, { ...as(cookie), body: change });
    for (const refused of [
      await changeTeam({ slug: "takers" }),
      await changeService({ ownerTeam: "givers", defaultBranch: "other" }),
    ])
      expect([refused.status, errorOf(refused).code]).toEqual([403, "recent_sign_in_required"]);
    for (const allowed of [
      await changeTeam({ slug: "givers", displayName: "Givers" }),
      await changeService({ ownerTeam: null, defaultBranch: "main" }),
    ])
      expect(allowed.status).toBe(200);
    const read = await http.get<{ ownerTeam: unknown }>(`/api/services/${body.serviceId}`);
    expect(read.body).toMatchObject({ ownerTeam: null, defaultBranch: "main" });
  });
});

it("the operator can end signing in by keys, and keys go on to work", async () => {
  const env = { KEY_SIGN_IN: "off" };
  await using closed = await startApi({ databaseUrl: world.stack.databaseUrl, env });
  const there = createHttpClient(closed.baseUrl, { key: world.stack.apiKey });
  const refused = await there.post("/api/session", { apiKey: world.stack.apiKey }, { key: null });
  expect([refused.status, errorOf(refused).code]).toEqual([403, "key_sign_in_disabled"]);
  expect((await there.get("/api/services")).status).toBe(200);
  const options = await there.get("/api/sign-in-options", { key: null });
  expect(options.body).toEqual({ keySignIn: false, providers: expect.any(Array) });
});
