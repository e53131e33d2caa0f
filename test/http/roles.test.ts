import { randomUUID } from "node:crypto";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import type { Role, RoleGrant } from "@waymark/shared/principals/roles/schema.ts";
import type { Principal } from "@waymark/shared/principals/schema.ts";
import { errorOf, makeKey, requestKey } from "@waymark/test-support/api-keys.ts";
import { holdStatement } from "@waymark/test-support/hold-statement.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { untilWaiting } from "@waymark/test-support/pauses.ts";
import { type StoredUser, storeUser } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { outcomeOf, signIn } from "@waymark/test-support/sessions.ts";
import { query } from "@waymark/test-support/sql.ts";
import { startTwoApis, type TwoApis } from "@waymark/test-support/two-apis.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let stack: TwoApis;
beforeAll(async () => {
  stack = await startTwoApis();
});
afterAll(() => stack[Symbol.asyncDispose]());

const send = (method: string, path: string, { key, body }: { key?: string; body?: unknown } = {}) =>
  stack.http.request(method, path, {
    ...(key === undefined ? {} : { key }),
    ...(body === undefined ? {} : { body }),
  });
const grant = (userId: string, body: unknown, key?: string) =>
  stack.http.post<RoleGrant>(`/api/principals/${userId}/role-grants`, body, key === undefined ? {} : { key });
const take = (userId: string, grantId: string, key?: string) =>
  send("DELETE", `/api/principals/${userId}/role-grants/${grantId}`, key === undefined ? {} : { key });
const grantsOf = async (userId: string) =>
  (await stack.http.get<Principal>(`/api/principals/${userId}`)).body.roleGrants;
const scan = async (key: string, serviceName: string) =>
  (await send("POST", "/api/scans/ingest", { key, body: scanPayload({ serviceName }) })).status;
const lists = async (key: string) => (await stack.http.get("/api/services", { key })).status;

describe("a user's key", () => {
  it("has what its user's roles have from the next request on, and a session, too", async () => {
    const user = await storeUser(stack, { roles: [] });
    const { cookie } = await signIn(stack.api, user.rawKey);
    const scopes = async () =>
      (await stack.http.get<{ scopes: unknown[] }>("/api/session", { key: null, headers: { cookie } })).body
        .scopes;
    expect(await lists(user.rawKey)).toBe(403);
    const viewer = (await grant(user.id, { role: "viewer" })).body;
    expect(await lists(user.rawKey)).toBe(200);
    expect(await scopes()).toContainEqual({ permission: "services:read" });
    expect(await scan(user.rawKey, "payments")).toBe(403);
    const developer = { role: "developer", serviceNames: ["payments*"] };
    expect((await grant(user.id, developer)).body).toMatchObject(developer);
    expect(await scan(user.rawKey, "payments-eu")).toBe(201);
    expect(await scan(user.rawKey, "orders")).toBe(403);
    expect((await take(user.id, viewer.id)).status).toBe(204);
    expect((await stack.other.get("/api/journeys", { key: user.rawKey })).status).toBe(403);
    expect(await scopes()).not.toContainEqual({ permission: "services:read" });
    expect(await outcomeOf(stack.api, cookie)).toBe("200");
  });

  it("has no more than its own scopes, whatever the roles", async () => {
    const { rawKey } = await storeUser(stack, { scopes: ["services:read"] });
    expect(await lists(rawKey)).toBe(200);
    expect((await stack.http.get("/api/journeys", { key: rawKey })).status).toBe(403);
    expect((await grant(randomUUID(), { role: "viewer" }, rawKey)).status).toBe(403);
  });

  it("hands on what its user's roles have now, not what it was made with", async () => {
    const user = await storeUser(stack, { roles: ["administrator", "viewer"] });
    const request = { scopes: ["audit:read"] };
    await makeKey(stack, request, { key: user.rawKey });
    const [administrator] = await grantsOf(user.id);
    await storeUser(stack);
    const first = (await grantsOf(user.id)).find(({ role }) => role === "administrator") ?? administrator;
    expect((await take(user.id, first?.id ?? "")).status).toBe(204);
    expect(errorOf(await requestKey(stack, request, { key: user.rawKey }))).toMatchObject({ status: 403 });
  });

  it("is created, listed and revoked by its user with any role, within the calling key's own scopes", async () => {
    const user = await storeUser(stack, { roles: ["viewer"] });
    const other = await storeUser(stack, { roles: ["viewer"] });
    const own = { ownerPrincipalType: "user", ownerPrincipalId: user.id };
    const made = await makeKey(stack, { ...own, scopes: ["*"] }, { key: user.rawKey });
    expect(await lists(made.rawKey)).toBe(200);
    expect(await scan(made.rawKey, "payments")).toBe(403);
    const list = (ownerId: string, key: string) =>
      stack.http.get<{ apiKeys: { id: string }[] }>(
        `/api/api-keys?organizationId=${stack.organizationId}&ownerPrincipalId=${ownerId}`,
        { key },
      );
    expect((await list(user.id, user.rawKey)).body.apiKeys).toHaveLength(2);
    expect((await list(other.id, user.rawKey)).status).toBe(403);
    const narrow = await makeKey(
      stack,
      { ...own, scopes: ["personal-keys:manage", "services:read"] },
      { key: user.rawKey },
    );
    const wider = await requestKey(stack, { ...own, scopes: ["*"] }, { key: narrow.rawKey });
    expect(errorOf(wider)).toMatchObject({ status: 403 });
    const pipeline = await makeKey(stack, { ...own, scopes: ["services:read"] }, { key: user.rawKey });
    const more = await requestKey(stack, { ...own, scopes: ["services:read"] }, { key: pipeline.rawKey });
    expect(errorOf(more)).toMatchObject({ status: 403, code: "permission_denied" });
    const revoke = (id: string, key: string) => stack.http.post(`/api/api-keys/${id}/revoke`, {}, { key });
    for (const id of [made.id, randomUUID()])
      expect(errorOf(await revoke(id, other.rawKey))).toMatchObject({
        status: 403,
        code: "permission_denied",
      });
    expect(errorOf(await revoke(made.id, pipeline.rawKey))).toMatchObject({ status: 403 });
    expect((await revoke(made.id, user.rawKey)).status).toBe(200);
    expect(await lists(made.rawKey)).toBe(401);
    const free = { scopes: ["services:read"] };
    expect(errorOf(await requestKey(stack, free, { key: user.rawKey }))).toMatchObject({ status: 403 });
  });

  it("is rotated and enabled by its user with permissions for keys, also if it has more scopes than the roles", async () => {
    const user = await storeUser(stack, { roles: ["viewer"] });
    const own = { ownerPrincipalType: "user", ownerPrincipalId: user.id };
    const other = await makeKey(stack, { ...own, scopes: ["*"] }, { key: user.rawKey });
    await send("PUT", "/api/roles/keys", { body: { permissions: ["api-keys:create", "api-keys:revoke"] } });
    await grant(user.id, { role: "keys" });
    await stack.http.post(`/api/api-keys/${other.id}/disable`);
    const enabled = await stack.http.post(`/api/api-keys/${other.id}/enable`, {}, { key: user.rawKey });
    expect(enabled.status).toBe(200);
    const rotated = await stack.http.post<{ rawKey: string }>(
      `/api/api-keys/${other.id}/rotate`,
      { graceSeconds: 0 },
      { key: user.rawKey },
    );
    expect(rotated.status).toBe(201);
    expect(await lists(rotated.body.rawKey)).toBe(200);
    expect((await stack.http.get("/api/audit-events", { key: rotated.body.rawKey })).status).toBe(403);
    const narrow = await createKey(stack, ["api-keys:create", "api-keys:revoke"], { owner: user.id });
    const refused = await stack.http.post(
      `/api/api-keys/${(await makeKey(stack, { ...own, scopes: ["*"] }, { key: user.rawKey })).id}/rotate`,
      { graceSeconds: 0 },
      { key: narrow },
    );
    expect(errorOf(refused)).toMatchObject({ status: 403, code: "permission_denied" });
  });
});

describe("granting and taking a role", () => {
  it("needs every permission that it gives or takes", async () => {
    const user = await storeUser(stack, { roles: [] });
    const manager = await storeUser(stack, { roles: ["viewer"], scopes: ["*"] });
    await query(stack, "INSERT INTO roles (organization_id, name, permissions) VALUES ($1, 'manager', $2)", [
      stack.organizationId,
      ["principals:manage", "principals:read"],
    ]);
    await grant(manager.id, { role: "manager" });
    await grant(manager.id, { role: "developer", serviceNames: ["payments-*"] });
    for (const body of [
      { role: "administrator" },
      { role: "developer" },
      { role: "developer", serviceNames: ["*"] },
      { role: "administrator", serviceNames: ["payments-*"] },
    ]) {
      expect(errorOf(await grant(user.id, body, manager.rawKey))).toMatchObject({ status: 403 });
      expect(errorOf(await grant(manager.id, body, manager.rawKey))).toMatchObject({ status: 403 });
    }
    expect((await grant(user.id, { role: "viewer" }, manager.rawKey)).status).toBe(201);
    const bound = { role: "developer", serviceNames: ["payments-eu"] };
    const granted = (await grant(user.id, bound, manager.rawKey)).body;
    expect((await grant(user.id, bound, manager.rawKey)).body).toEqual(granted);
    expect((await take(user.id, granted.id, manager.rawKey)).status).toBe(204);
    const wide = (await grant(user.id, { role: "developer" })).body;
    const disable = `/api/principals/${user.id}/disable`;
    const invitation = { email: `${randomUUID()}@example.com`, roles: [{ role: "developer" }] };
    for (const refused of [
      await grant(user.id, { role: "developer" }, manager.rawKey),
      await take(user.id, wide.id, manager.rawKey),
      await send("POST", disable, { key: manager.rawKey, body: {} }),
      await send("PUT", "/api/roles/manager", { key: manager.rawKey, body: { permissions: ["audit:read"] } }),
      await send("POST", "/api/invitations", { key: manager.rawKey, body: invitation }),
    ])
      expect(errorOf(refused)).toMatchObject({
        status: 403,
        message: expect.stringMatching(/^This API key can give or take only roles with no more permissions/),
      });
  });

  it.each<[string, { expiresAt: Date } | { allowedNetworks: string[] }]>([
    ["an end", { expiresAt: new Date(Date.now() + 3_600_000) }],
    ["networks", { allowedNetworks: ["127.0.0.0/8", "::1/128"] }],
  ])("is refused for a key with %s, because a role has none; taking is not refused", async (_, limit) => {
    const user = await storeUser(stack, { roles: ["viewer"] });
    const key = await createKey(stack, ["*"], limit);
    const invitation = { email: `${randomUUID()}@example.com`, roles: [{ role: "viewer" }] };
    const [held] = await grantsOf(user.id);
    const own = `/api/roles/r-${randomUUID()}`;
    expect(errorOf(await grant(user.id, { role: "administrator" }, key))).toMatchObject({ status: 403 });
    expect(errorOf(await stack.http.post("/api/invitations", invitation, { key }))).toMatchObject({
      status: 403,
    });
    expect((await send("PUT", own, { key, body: { permissions: ["services:read"] } })).status).toBe(403);
    const change = (what: string) => send("POST", `/api/principals/${user.id}/${what}`, { key, body: {} });
    expect((await change("disable")).status).toBe(200);
    expect((await change("enable")).status).toBe(403);
    expect((await take(user.id, held?.id ?? "", key)).status).toBe(204);

    const isEnd = "expiresAt" in limit;
    const administrator = await storeUser(stack);
    const ofUser = await createKey(stack, ["*"], { ...limit, owner: administrator.id });
    expect((await grant(user.id, { role: "viewer" }, ofUser)).status).toBe(isEnd ? 201 : 403);
  });

  it("is for users and for roles that exist", async () => {
    const user = await storeUser(stack, { roles: [] });
    expect((await grant(user.id, { role: "unknown" })).status).toBe(404);
    expect((await grant(randomUUID(), { role: "viewer" })).status).toBe(404);
    expect((await take(user.id, randomUUID())).status).toBe(404);
    for (const serviceNames of [[], [""], ["a*b"], ["**"], Array.from({ length: 51 }, (_, n) => `s${n}`)])
      expect((await grant(user.id, { role: "viewer", serviceNames })).status).toBe(400);
    const account = { type: "service_account", displayName: "x" };
    const { body } = await stack.http.post<Principal>("/api/principals", account);
    expect((await grant(body.id, { role: "viewer" })).status).toBe(400);
  });
});

describe("an own role", () => {
  const set = (name: string, permissions: string[], key?: string) =>
    send("PUT", `/api/roles/${name}`, { body: { permissions }, ...(key === undefined ? {} : { key }) });

  it("is what it is now for everybody who has it, and stays while somebody does", async () => {
    const user = await storeUser(stack, { roles: [] });
    expect((await set("triage", ["services:read"])).body).toEqual({
      name: "triage",
      permissions: ["services:read"],
      builtIn: false,
    });
    const { id } = (await grant(user.id, { role: "triage" })).body;
    expect(await lists(user.rawKey)).toBe(200);
    await set("triage", ["audit:read"]);
    expect(await lists(user.rawKey)).toBe(403);
    expect(errorOf(await send("DELETE", "/api/roles/triage"))).toMatchObject({
      status: 409,
      code: "role_in_use",
    });
    await take(user.id, id);
    expect((await send("DELETE", "/api/roles/triage")).status).toBe(204);
    expect((await send("DELETE", "/api/roles/triage")).status).toBe(404);
    const { body } = await stack.http.get<{ roles: Role[] }>("/api/roles");
    expect(body.roles.slice(0, 4).map(({ name }) => name)).toEqual([
      "viewer",
      "developer",
      "journey-editor",
      "administrator",
    ]);
  });

  it("is changed only with all permissions that it had and gets, and is never a built-in one", async () => {
    await set("auditors", ["audit:read"]);
    const less = await createKey(stack, ["principals:manage", "services:read"]);
    expect((await set("auditors", ["services:read"], less)).status).toBe(403);
    expect((await set("readers", ["services:read", "audit:read"], less)).status).toBe(403);
    expect((await set("readers", ["services:read"], less)).status).toBe(200);
    for (const name of ["administrator", "viewer", "Upper", "1st", "a b"])
      expect((await set(encodeURIComponent(name), ["services:read"])).status).toBe(400);
    expect((await set("readers", [])).status).toBe(400);
    expect((await set("readers", ["audit:read", "audit:read"])).status).toBe(400);
  });
});

describe("the last administrator", () => {
  async function organizationWith(count: number) {
    const organizationId = randomUUID();
    await query(stack, "INSERT INTO organizations (id, name) VALUES ($1, 'o')", [organizationId]);
    const key = await createKey({ ...stack, organizationId }, ["*"]);
    const users: StoredUser[] = [];
    while (users.length < count) users.push(await storeUser({ ...stack, organizationId }));
    return { organizationId, key, users };
  }
  const administrationOf = async (id: string, key: string) =>
    (await stack.http.get<Principal>(`/api/principals/${id}`, { key })).body.roleGrants[0]?.id ?? "";

  it("stays: neither disabled, nor without the role, nor by a change of an own role", async () => {
    const { key, users } = await organizationWith(1);
    const [user] = users as [StoredUser];
    const refused = { status: 409, code: "last_administrator" };
    const disable = `/api/principals/${user.id}/disable`;
    expect(errorOf(await send("POST", disable, { key, body: {} }))).toMatchObject(refused);
    const builtIn = await administrationOf(user.id, key);
    expect(errorOf(await take(user.id, builtIn, key))).toMatchObject(refused);
    const role = (permissions: string[]) =>
      send("PUT", "/api/roles/everything", { key, body: { permissions } });
    await role(["*"]);
    await grant(user.id, { role: "everything" }, key);
    expect((await take(user.id, builtIn, key)).status).toBe(204);
    expect(errorOf(await role(["services:read"]))).toMatchObject(refused);
    expect(await lists(user.rawKey)).toBe(200);
    await grant(user.id, { role: "administrator", serviceNames: ["*"] }, key);
    expect(errorOf(await role(["services:read"]))).toMatchObject(refused);
  });

  it("stays when two administrators remove each other at once, in two processes", async () => {
    for (let round = 0; round < 5; round++) {
      const { organizationId, key, users } = await organizationWith(2);
      const [one, two] = users as [StoredUser, StoredUser];
      const [ofOne, ofTwo] = [await administrationOf(one.id, key), await administrationOf(two.id, key)];
      const path = (user: StoredUser, id: string) => `/api/principals/${user.id}/role-grants/${id}`;
      const keys = "SELECT pg_advisory_xact_lock(hashtextextended('api_keys ' || $1, 0))";
      await using held = await holdStatement(stack, keys, [organizationId]);
      const requests = Promise.all([
        stack.http.request("DELETE", path(two, ofTwo), { key: one.rawKey }),
        stack.other.request("DELETE", path(one, ofOne), { key: two.rawKey }),
      ]);
      // Both are authenticated, and neither has changed anything.
      await untilWaiting(stack, { atLeast: 2, type: "advisory" });
      await held.commit();
      const answers = await requests;
      expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
      const left = await Promise.all(users.map(({ rawKey }) => lists(rawKey)));
      expect(new Set(left)).toEqual(new Set([200, 403]));
    }
  });
});

it("every change of a role is in the audit record, with the person who made it", async () => {
  const ada = await storeUser(stack, { displayName: "Ada" });
  const bob = await storeUser(stack, { displayName: "Bob", roles: [] });
  const { body } = await grant(bob.id, { role: "viewer" }, ada.rawKey);
  await take(bob.id, body.id, ada.rawKey);
  await send("PUT", "/api/roles/audited", { key: ada.rawKey, body: { permissions: ["audit:read"] } });
  await send("DELETE", "/api/roles/audited", { key: ada.rawKey });
  const events = await stack.http.get<{ auditEvents: AuditEvent[] }>(
    `/api/audit-events?actorPrincipalId=${ada.id}`,
  );
  const actor = { type: "user", id: ada.id, displayName: "Ada" };
  const ofBob = { principalId: bob.id, displayName: "Bob", role: "viewer", serviceNames: null };
  expect(events.body.auditEvents).toMatchObject([
    { action: "role.deleted", actor, details: { role: "audited" } },
    { action: "role.set", actor, details: { permissions: ["audit:read"], previousPermissions: [] } },
    { action: "role.revoked", actor, details: ofBob },
    { action: "role.granted", actor, details: ofBob },
  ]);
});
