import { BUILT_IN_ROLES } from "@waymark/shared/api-keys/roles/built-in.ts";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import type { IdentityProvider as Described } from "@waymark/shared/principals/identity-providers/schema.ts";
import type { Principal } from "@waymark/shared/principals/schema.ts";
import type { Session } from "@waymark/shared/session/schema.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { errorOf, makeKey } from "@waymark/test-support/api-keys.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import {
  type Account,
  type Browser,
  type IdentityProvider,
  startIdentityProvider,
} from "@waymark/test-support/identity-provider.ts";
import { OWN_PAGE } from "@waymark/test-support/sessions.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { announceSeed, createRandom } from "@waymark/test-support/scale.ts";
import { query } from "@waymark/test-support/sql.ts";
import {
  type ApiProcess,
  type Stack,
  startApi,
  startApiProcess,
  startStack,
} from "@waymark/test-support/stack.ts";

const CLIENT = { client_id: "waymark", client_secret: "s3cret-of-the-client" };
const ADA: Account = {
  sub: "ada",
  email: "ada@example.com",
  email_verified: true,
  name: "Ada Lovelace",
  groups: ["engineers"],
};

let idp: IdentityProvider;
let stack: Stack;
let api: ApiProcess;
let http: HttpClient;
let provider: Described;
beforeAll(async () => {
  [stack, idp] = await Promise.all([startStack(), startIdentityProvider(ADA)]);
  // In a process of its own, because Node reads the certificates when it starts.
  const env = { NODE_EXTRA_CA_CERTS: idp.caFile, ISSUER_EGRESS_ALLOW: idp.egressAllow };
  api = await startApiProcess({ databaseUrl: stack.databaseUrl, env });
  http = createHttpClient(api.baseUrl, { key: stack.apiKey });
  provider = await addProvider();
});
afterAll(async () => {
  await api.stop();
  await stack[Symbol.asyncDispose]();
  await idp[Symbol.asyncDispose]();
});
beforeEach(() => {
  idp.account = ADA;
});

const settings = (changed: Record<string, unknown> = {}) => ({
  displayName: "Acme ID",
  clientId: CLIENT.client_id,
  clientSecret: CLIENT.client_secret,
  scopes: ["groups"],
  emailDomains: ["example.com"],
  roles: [
    { group: null, role: "viewer" },
    { group: "engineers", role: "developer", serviceNames: ["shop-*"] },
  ],
  ...changed,
});

async function addProvider(changed: Record<string, unknown> = {}): Promise<Described> {
  const body = { issuer: idp.issuer, ...settings(changed) };
  const { status, body: made, text } = await http.post<Described>("/api/identity-providers", body);
  if (status !== 201) throw new Error(text);
  idp.register({
    ...CLIENT,
    client_id: made.clientId,
    redirect_uris: [made.redirectUri],
    backchannel_logout_uri: made.backChannelLogoutUri,
  });
  return made;
}

interface SignedIn {
  status: number;
  code: string | undefined;
  message: string | undefined;
  /** The session's cookie. */
  cookie: string;
}

/** Signs in as a browser does, by the console's requests and the provider's redirects. */
async function signIn({
  browser,
  at = provider,
  again,
}: { browser?: Browser; at?: Described; again?: boolean } = {}): Promise<SignedIn> {
  const begun = await http.post<{ authorizationUrl: string }>(
    "/api/sign-ins",
    { identityProviderId: at.id, ...(again === undefined ? {} : { again }) },
    { key: null, headers: OWN_PAGE },
  );
  if (begun.status !== 201) throw new Error(begun.text);
  const redirect = await idp.visit(begun.body.authorizationUrl, browser);
  expect(`${redirect.origin}${redirect.pathname}`).toBe(at.redirectUri);
  const completed = await http.post(
    "/api/sign-ins/callback",
    { identityProviderId: at.id, query: redirect.search.slice(1) },
    { key: null, headers: { ...OWN_PAGE, cookie: cookieOf(begun.headers) } },
  );
  const { code, message } = completed.status === 204 ? {} : errorOf(completed);
  return { status: completed.status, code, message, cookie: cookieOf(completed.headers, "waymark_session") };
}

function cookieOf(headers: Headers, name = "waymark_sign_in"): string {
  const line = headers.getSetCookie().find((one) => one.startsWith(`${name}=`)) ?? "";
  return line.split(";")[0] ?? "";
}

const as = (cookie: string) => ({ key: null, headers: { cookie, ...OWN_PAGE } });
const sessionOf = async (cookie: string) => (await http.get<Session>("/api/session", as(cookie))).body;

async function userOf(email: string): Promise<Principal> {
  const { body } = await http.get<{ principals: Principal[] }>(
    `/api/principals?q=${encodeURIComponent(email)}`,
  );
  const [found] = body.principals;
  if (found === undefined) throw new Error(`there is no user ${email}`);
  return found;
}

const eventsOf = async ({ id }: Principal) =>
  (await http.get<{ auditEvents: AuditEvent[] }>(`/api/audit-events?actorPrincipalId=${id}`)).body;
const rolesOf = (user: Principal) => user.roleGrants.map(({ role }) => role).toSorted();

describe("a sign-in by an identity provider", () => {
  it("makes the user at the first time, with the roles of the groups, and opens a session", async () => {
    const { status, cookie } = await signIn();
    expect(status).toBe(204);
    const user = await userOf("ada@example.com");
    expect(await sessionOf(cookie)).toMatchObject({
      organizationId: stack.organizationId,
      principal: { id: user.id, displayName: "Ada Lovelace" },
      identityProviderId: provider.id,
    });
    expect(user).toMatchObject({ displayName: "Ada Lovelace", email: "ada@example.com", createdBy: null });
    expect(user.roleGrants).toMatchObject([
      { role: "viewer", serviceNames: null, identityProviderId: provider.id },
      { role: "developer", serviceNames: ["shop-*"], identityProviderId: provider.id },
    ]);
    const { auditEvents } = await eventsOf(user);
    expect(auditEvents.map(({ action, actor }) => [action, actor?.id].join(" ")).toSorted()).toEqual([
      `principal.created ${user.id}`,
      `role.granted ${user.id}`,
      `role.granted ${user.id}`,
      `session.created ${user.id}`,
    ]);
  });

  it("finds the user again by the subject, and gives and takes roles by the groups of now", async () => {
    const first = await signIn();
    idp.account = { ...ADA, email: "ada.king@example.com", groups: [] };
    const second = await signIn();
    const session = await sessionOf(second.cookie);
    expect(session.principal).toEqual((await sessionOf(first.cookie)).principal);
    // One key for all of a user's sessions, whose secret nobody has.
    expect(session.apiKeyId).toBe((await sessionOf(first.cookie)).apiKeyId);
    const user = await userOf("ada@example.com");
    expect(rolesOf(user)).toEqual(["viewer"]);
    idp.account = ADA;
    await signIn();
    expect(rolesOf(await userOf("ada@example.com"))).toEqual(["developer", "viewer"]);
  });

  it("makes members of teams by the groups, and leaves members by hand", async () => {
    for (const slug of ["payments", "search"]) await http.post("/api/teams", { slug, displayName: slug });
    const teams = [
      { group: "pay", team: "payments" },
      { group: "find", team: "search" },
    ];
    const at = await addProvider({ clientId: "teams", teams });
    idp.account = { ...ADA, sub: "tim", email: "tim@example.com", groups: ["pay", "find"] };
    const membersOf = async (slug: string) => {
      const { body } = await http.get<{ teams: { id: string; slug: string }[] }>("/api/teams");
      const id = body.teams.find((team) => team.slug === slug)?.id ?? "";
      const members = await http.get<{ members: { source: string }[] }>(`/api/teams/${id}/members`);
      return { id, sources: members.body.members.map(({ source }) => source) };
    };
    await signIn({ at });
    const { id: search } = await membersOf("search");
    const { id: tim } = await userOf("tim@example.com");
    expect((await membersOf("payments")).sources).toEqual(["provider"]);
    await http.request("PUT", `/api/teams/${search}/members/${tim}`, {});
    idp.account = { ...idp.account, groups: [] };
    await signIn({ at });
    expect([(await membersOf("payments")).sources, (await membersOf("search")).sources]).toEqual([
      [],
      ["manual"],
    ]);
    idp.account = { ...idp.account, groups: ["pay"] };
    await signIn({ at });
    await http.request("DELETE", `/api/identity-providers/${at.id}`);
    expect([(await membersOf("payments")).sources, (await membersOf("search")).sources]).toEqual([
      [],
      ["manual"],
    ]);
  });

  it("takes no role that leaves nobody who may do everything, and neither does the provider's end", async () => {
    const roles = [{ group: "admins", role: "administrator" }];
    const at = await addProvider({ clientId: "admins", roles });
    idp.account = { ...ADA, sub: "only", email: "only@example.com", groups: ["admins"] };
    await signIn({ at });
    idp.account = { ...idp.account, groups: [] };
    await signIn({ at });
    expect(rolesOf(await userOf("only@example.com"))).toEqual(["administrator"]);
    const path = `/api/identity-providers/${at.id}`;
    expect(errorOf(await http.request("DELETE", path)).code).toBe("last_administrator");
    await storeUser(stack);
    await signIn({ at });
    expect(rolesOf(await userOf("only@example.com"))).toEqual([]);
    expect((await http.request("DELETE", path)).status).toBe(204);
  });

  it("leaves roles that were granted by hand, also the same as one of a group", async () => {
    idp.account = { ...ADA, sub: "grace", email: "grace@example.com" };
    await signIn();
    const { id } = await userOf("grace@example.com");
    const grant = { role: "developer", serviceNames: ["shop-*"] };
    expect((await http.post(`/api/principals/${id}/role-grants`, grant)).status).toBe(201);
    idp.account = { ...idp.account, groups: [] };
    await signIn();
    expect((await userOf("grace@example.com")).roleGrants).toMatchObject([
      { role: "viewer", identityProviderId: provider.id },
      { ...grant, identityProviderId: null },
    ]);
  });

  it("gives what a plain model gives, whatever groups a person is in over time", async () => {
    announceSeed();
    const random = createRandom("groups");
    const mapping: [group: string, role: string][] = [
      ["a", "viewer"],
      ["b", "developer"],
      ["c", "journey-editor"],
      ["d", "viewer"],
    ];
    const roles = mapping.map(([group, role]) => ({ group, role }));
    const teams = [
      { group: "a", team: "model-one" },
      { group: "c", team: "model-two" },
    ];
    for (const { team: slug } of teams) await http.post("/api/teams", { slug, displayName: slug });
    const at = await addProvider({ clientId: "model", roles, teams });
    for (let n = 0; n < 25; n++) {
      const groups = ["a", "b", "c", "d", "unknown", "A"].filter(() => random.integer(0, 1) === 1);
      idp.account = { ...ADA, sub: "model", email: "model@example.com", groups };
      const { cookie } = await signIn({ at });
      const given = [...new Set(mapping.flatMap(([group, role]) => (groups.includes(group) ? [role] : [])))];
      const user = await userOf("model@example.com");
      expect([n, groups, rolesOf(user)]).toEqual([n, groups, given.toSorted()]);
      expect(user.teams.map(({ slug }) => slug).toSorted()).toEqual(
        teams.flatMap(({ group, team }) => (groups.includes(group) ? [team] : [])),
      );
      const held = new Set((await sessionOf(cookie)).scopes.map(({ permission }) => permission));
      const allowed = new Set([
        "personal-keys:manage",
        ...given.flatMap((role) => [...(BUILT_IN_ROLES.get(role) ?? [])]),
      ]);
      expect([...held].toSorted()).toEqual([...allowed].toSorted());
    }
    await http.request("DELETE", `/api/identity-providers/${at.id}`);
  });

  it("is that of the user who was invited with the address, in any case", async () => {
    const invited = await http.post<{ url: string }>("/api/invitations", {
      email: "Bob@Example.com",
      roles: [{ role: "journey-editor" }],
    });
    const token = invited.body.url.split("=").at(-1);
    await http.post("/api/invitation-acceptances", { token, displayName: "Bob" }, { key: null });
    idp.account = { ...ADA, sub: "bob", email: "bob@example.com", name: "Robert" };
    expect((await signIn()).status).toBe(204);
    const user = await userOf("bob@example.com");
    expect(user.displayName).toBe("Bob");
    expect(rolesOf(user)).toEqual(["developer", "journey-editor", "viewer"]);
    const { auditEvents } = await eventsOf(user);
    expect(auditEvents.map(({ action }) => action)).toContain("principal.linked");
    // Another account with the address that the first one has here.
    idp.account = { ...idp.account, sub: "bob-2" };
    expect(await signIn()).toMatchObject({ status: 403, code: "sign_in_refused" });
  });

  it("is refused for a disabled user, whose sessions end with the next request", async () => {
    idp.account = { ...ADA, sub: "eve", email: "eve@example.com" };
    const { cookie } = await signIn();
    const { id } = await userOf("eve@example.com");
    await http.post(`/api/principals/${id}/disable`);
    expect((await http.get("/api/session", as(cookie))).status).toBe(401);
    expect(await signIn()).toMatchObject({ status: 401, code: "principal_disabled", cookie: "" });
  });

  it("goes on when the provider's keys are rotated, and when the client's secret is", async () => {
    await idp.rotateKeys();
    expect((await signIn()).status).toBe(204);
    const secret = "another-secret-of-the-client";
    idp.register({ ...CLIENT, client_secret: secret, redirect_uris: [provider.redirectUri] });
    expect(await signIn()).toMatchObject({ status: 403, message: expect.stringContaining("invalid_client") });
    const path = `/api/identity-providers/${provider.id}`;
    const changed = await http.request("PUT", path, { body: settings({ clientSecret: secret }) });
    expect([changed.status, changed.text.includes(secret)]).toEqual([200, false]);
    expect((await signIn()).status).toBe(204);
    // Without a secret in the request it stays.
    await http.request("PUT", path, { body: settings({ clientSecret: undefined }) });
    expect((await signIn()).status).toBe(204);
    await http.request("PUT", path, { body: settings() });
    idp.register({
      ...CLIENT,
      redirect_uris: [provider.redirectUri],
      backchannel_logout_uri: provider.backChannelLogoutUri,
    });
  });

  it("works for a public client, by PKCE alone", async () => {
    const at = await addProvider({ clientId: "public", clientSecret: null });
    idp.register({ client_id: "public", redirect_uris: [at.redirectUri] });
    expect(at.hasClientSecret).toBe(false);
    idp.account = { ...ADA, sub: "joan", email: "joan@example.com" };
    expect((await signIn({ at })).status).toBe(204);
    // The last provider's sessions and roles end with it, and the user stays.
    const first = await signIn({ at });
    // The next sign-in needs another key, because this one ends before a session would.
    await query(
      stack,
      "UPDATE api_keys SET expires_at = now() + interval '1 hour' WHERE name LIKE 'Sign-in%'",
    );
    const second = await signIn({ at });
    expect((await sessionOf(second.cookie)).apiKeyId).not.toBe((await sessionOf(first.cookie)).apiKeyId);
    await http.request("DELETE", `/api/identity-providers/${at.id}`);
    for (const { cookie } of [first, second])
      expect((await http.get("/api/session", as(cookie))).status).toBe(401);
    expect(rolesOf(await userOf("joan@example.com"))).toEqual([]);
  });
});

describe("the end of a session", () => {
  it("by the provider's back-channel logout ends the sessions of that browser, and no others", async () => {
    const browser: Browser = new Map();
    const first = await signIn({ browser });
    const second = await signIn();
    await idp.logOut(browser);
    await expect.poll(async () => (await http.get("/api/session", as(first.cookie))).status).toBe(401);
    expect((await http.get("/api/session", as(second.cookie))).status).toBe(200);
  });

  it("by signing out leaves nothing of the cookie", async () => {
    const { cookie } = await signIn();
    await http.request("DELETE", "/api/session", as(cookie));
    expect((await http.get("/api/session", as(cookie))).status).toBe(401);
  });
});

describe("what can do much harm", () => {
  const age = (cookie: string, minutes: number) =>
    query(
      stack,
      "UPDATE sessions SET authenticated_at = now() - $2 * interval '1 minute' WHERE token_hash = sha256($1::bytea)",
      [cookie.split("=")[1], minutes],
    );

  it("needs a recent sign-in, for which the provider asks for the credentials again", async () => {
    idp.account = { ...ADA, sub: "root", email: "root@example.com" };
    await signIn();
    const { id } = await userOf("root@example.com");
    await http.post(`/api/principals/${id}/role-grants`, { role: "administrator" });
    const browser: Browser = new Map();
    const old = await signIn({ browser });
    await age(old.cookie, 16);
    const body = { issuer: idp.issuer, ...settings() };
    const add = (cookie: string) => http.post("/api/identity-providers", body, as(cookie));
    expect(errorOf(await add(old.cookie)).code).toBe("recent_sign_in_required");
    // It may go on to do what it may do otherwise.
    expect((await http.get("/api/identity-providers", as(old.cookie))).status).toBe(200);
    const again = await signIn({ browser, again: true });
    expect(again.status).toBe(204);
    const added = await http.post<Described>("/api/identity-providers", body, as(again.cookie));
    expect(added.status).toBe(201);
    await http.request("DELETE", `/api/identity-providers/${added.body.id}`);
  });

  it("is refused to an old session of a key, too: services, keys with full access, many keys", async () => {
    const signedIn = await http.post("/api/session", { apiKey: stack.apiKey }, { key: null });
    const cookie = cookieOf(signedIn.headers, "waymark_session");
    await age(cookie, 16);
    const apiKey = await makeKey(stack, { name: "second", scopes: ["*"] });
    const codes = [
      await http.request("DELETE", `/api/services/${provider.id}?name=x`, as(cookie)),
      await http.post("/api/api-key-revocations", { apiKeyIds: [apiKey.id] }, as(cookie)),
      await http.post(`/api/api-keys/${apiKey.id}/revoke`, {}, as(cookie)),
    ].map((answer) => errorOf(answer).code);
    expect(codes).toEqual(Array(3).fill("recent_sign_in_required"));
    // With the key itself it works: whoever has it can sign in.
    expect((await http.post(`/api/api-keys/${apiKey.id}/revoke`)).status).toBe(200);
  });
});

it("the operator can end signing in by keys, and keys go on to work", async () => {
  const env = { KEY_SIGN_IN: "off" };
  await using closed = await startApi({ databaseUrl: stack.databaseUrl, env });
  const there = createHttpClient(closed.baseUrl, { key: stack.apiKey });
  const refused = await there.post("/api/session", { apiKey: stack.apiKey }, { key: null });
  expect([refused.status, errorOf(refused).code]).toEqual([403, "key_sign_in_disabled"]);
  expect((await there.get("/api/services")).status).toBe(200);
  const options = await there.get("/api/sign-in-options", { key: null });
  expect(options.body).toEqual({ keySignIn: false, providers: expect.any(Array) });
});
