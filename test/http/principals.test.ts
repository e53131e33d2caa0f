import { randomUUID } from "node:crypto";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import type { Principal } from "@waymark/shared/principals/schema.ts";
import { errorOf, makeKey, requestKey } from "@waymark/test-support/api-keys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { outcomeOf, signIn } from "@waymark/test-support/sessions.ts";
import { query } from "@waymark/test-support/sql.ts";
import { startTwoApis, type TwoApis } from "@waymark/test-support/two-apis.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let stack: TwoApis;
beforeAll(async () => {
  stack = await startTwoApis();
});
afterAll(() => stack[Symbol.asyncDispose]());

async function createServiceAccount(displayName = "Deployments"): Promise<Principal> {
  const body = { type: "service_account", displayName };
  const answer = await stack.http.post<Principal>("/api/principals", body);
  expect(answer.status).toBe(201);
  return answer.body;
}

const change = (id: string, what: "disable" | "enable", key?: string) =>
  stack.http.post<Principal>(`/api/principals/${id}/${what}`, {}, key === undefined ? {} : { key });
const statusOf = async (key: string) => errorOf(await stack.http.get("/api/limits", { key })).status;
const read = async (id: string) => (await stack.http.get<Principal>(`/api/principals/${id}`)).body;

describe("a key's owner", () => {
  it("has the name that the principal has now, on every response with the key", async () => {
    const account = await createServiceAccount("Old name");
    const created = await makeKey(stack, { ownerPrincipalId: account.id });
    expect(created).toMatchObject({ ownerPrincipalId: account.id, ownerDisplayName: "Old name" });
    const renamed = await stack.http.request("PATCH", `/api/principals/${account.id}`, {
      body: { displayName: "New name" },
    });
    expect(renamed.body).toEqual({ ...account, displayName: "New name" });
    const principal = { type: "service_account", id: account.id, displayName: "New name" };
    const self = await stack.http.get("/api/api-keys/self", { key: created.rawKey });
    expect(self.body).toMatchObject({ ownerDisplayName: "New name", principal });
    const { answer } = await signIn(stack.api, created.rawKey);
    expect(answer.body).toMatchObject({ principal });
  });

  it("may still be known elsewhere only, as either type", async () => {
    for (const ownerPrincipalType of ["user", "service_account"]) {
      const ownerPrincipalId = randomUUID();
      const key = await makeKey(stack, { ownerPrincipalType, ownerPrincipalId });
      expect(key).toMatchObject({ ownerPrincipalType, ownerPrincipalId, ownerDisplayName: null });
      expect(await statusOf(key.rawKey)).toBe(200);
    }
  });

  it("has its own type, and no other", async () => {
    const account = await createServiceAccount();
    const asUser = await requestKey(stack, { ownerPrincipalType: "user", ownerPrincipalId: account.id });
    expect(errorOf(asUser)).toMatchObject({
      status: 400,
      details: [{ path: "ownerPrincipalType", message: "must be service_account for this principal" }],
    });
    const user = await storeUser(stack);
    const asAccount = await requestKey(stack, { ownerPrincipalId: user.id }, { key: user.rawKey });
    expect(errorOf(asAccount)).toMatchObject({ status: 400 });
  });

  it("is a user only if the user creates or rotates the key", async () => {
    const [ada, eve] = [await storeUser(stack), await storeUser(stack, { displayName: "Eve" })];
    const request = { ownerPrincipalType: "user", ownerPrincipalId: ada.id };
    for (const key of [eve.rawKey, stack.apiKey])
      expect(errorOf(await requestKey(stack, request, { key }))).toMatchObject({
        status: 403,
        code: "permission_denied",
      });
    const own = await makeKey(stack, request, { key: ada.rawKey });
    const rotate = (key: string) =>
      stack.http.post(`/api/api-keys/${own.id}/rotate`, { graceSeconds: 60 }, { key });
    expect(errorOf(await rotate(stack.apiKey))).toMatchObject({ status: 403, code: "permission_denied" });
    expect((await rotate(ada.rawKey)).status).toBe(201);
  });
});

describe("a disabled principal", () => {
  it("can do nothing from the next request on, in every process, with a key or a session, until it is enabled", async () => {
    const account = await createServiceAccount();
    const ofAccount = await makeKey(stack, { ownerPrincipalId: account.id });
    const user = await storeUser(stack, { roles: ["viewer"] });
    for (const [id, key] of [
      [account.id, ofAccount.rawKey],
      [user.id, user.rawKey],
    ] as const) {
      const { cookie } = await signIn(stack.api, key);
      expect(await outcomeOf(stack.api, cookie)).toBe("200");
      const disabled = await change(id, "disable");
      expect(disabled).toMatchObject({ status: 200, body: { disabledAt: expect.any(String) } });
      expect((await change(id, "disable")).body.disabledAt).toBe(disabled.body.disabledAt);
      for (const http of [stack.http, stack.other])
        expect(errorOf(await http.get("/api/limits", { key }))).toMatchObject({
          status: 401,
          code: "principal_disabled",
        });
      expect(await outcomeOf(stack.api, cookie)).toContain("401 principal_disabled");
      expect((await signIn(stack.api, key)).answer.status).toBe(401);
      expect((await change(id, "enable")).body.disabledAt).toBeNull();
      expect(await statusOf(key)).toBe(200);
    }
  });

  it("stays as it is for a key that does not cover its keys' scopes", async () => {
    const account = await createServiceAccount();
    await makeKey(stack, { ownerPrincipalId: account.id, scopes: ["services:read", "audit:read"] });
    const less = await createKey(stack, ["principals:manage", "services:read"]);
    expect(errorOf(await change(account.id, "disable", less))).toMatchObject({ status: 403 });
    const enough = await createKey(stack, ["principals:manage", "services:read", "audit:read"]);
    expect((await change(account.id, "disable", enough)).status).toBe(200);
    expect(errorOf(await change(account.id, "enable", less))).toMatchObject({ status: 403 });
    expect((await change(account.id, "enable", enough)).status).toBe(200);
  });

  it("is not the one with the last key that has full access, and a user's key is never that key", async () => {
    const organizationId = randomUUID();
    await query(stack, "INSERT INTO organizations (id, name) VALUES ($1, 'o')", [organizationId]);
    const account = randomUUID();
    await query(
      stack,
      "INSERT INTO principals (organization_id, id, kind, display_name) VALUES ($1, $2, 'service_account', 's')",
      [organizationId, account],
    );
    const key = await createKey({ ...stack, organizationId }, ["*"], { owner: account });
    await storeUser({ ...stack, organizationId });
    const refused = { status: 409, code: "last_full_access_key" };
    expect(errorOf(await change(account, "disable", key))).toMatchObject(refused);
    expect(errorOf(await stack.http.post("/api/api-keys/self/revoke", {}, { key }))).toMatchObject(refused);
    const another = await createKey({ ...stack, organizationId }, ["*"]);
    expect((await change(account, "disable", key)).status).toBe(200);
    // The disabled account's key does not count either.
    expect(errorOf(await stack.http.post("/api/api-keys/self/revoke", {}, { key: another }))).toMatchObject(
      refused,
    );
  });
});

describe("GET /api/principals", () => {
  it("finds by a part of the name or the address in any case, and by type, page by page", async () => {
    const user = await storeUser(stack, { displayName: "Grace Hopper" });
    const account = await createServiceAccount("Hopper builds");
    const list = async (search: string) =>
      (await stack.http.get<{ principals: Principal[]; nextCursor?: string }>(`/api/principals?${search}`))
        .body;
    const idsOf = async (search: string) => (await list(search)).principals.map(({ id }) => id);
    expect(new Set(await idsOf("q=hOPPer"))).toEqual(new Set([user.id, account.id]));
    expect(await idsOf("q=hopper&type=user")).toEqual([user.id]);
    expect(await idsOf(`q=${user.id.toUpperCase()}@EXAMPLE`)).toEqual([user.id]);
    const first = await list("q=hopper&limit=1");
    const second = await list(`q=hopper&limit=1&cursor=${first.nextCursor}`);
    expect([...first.principals, ...second.principals]).toHaveLength(2);
    expect(second.nextCursor).toBeUndefined();
  });

  it("shows when a key of the principal was used last", async () => {
    const user = await storeUser(stack);
    expect((await read(user.id)).lastSeenAt).toBeNull();
    await query(stack, "UPDATE api_keys SET last_used_at = now() WHERE owner_principal_id = $1", [user.id]);
    expect((await read(user.id)).lastSeenAt).toEqual(expect.any(String));
  });

  it("has no names that people can't see or tell from others", async () => {
    for (const displayName of ["", " a", "a\u200bb", "a\u202eb", "a\nb", "x".repeat(121)]) {
      const body = { type: "service_account", displayName };
      expect((await stack.http.post("/api/principals", body)).status).toBe(400);
    }
  });
});

it("the audit record names the person that acted, and finds what the person did", async () => {
  const ada = await storeUser(stack, { displayName: "Ada Lovelace" });
  const account = (
    await stack.http.post<Principal>(
      "/api/principals",
      { type: "service_account", displayName: "Engine" },
      { key: ada.rawKey },
    )
  ).body;
  await change(account.id, "disable", ada.rawKey);
  await change(account.id, "enable");
  const { body } = await stack.http.get<{ auditEvents: AuditEvent[] }>(
    `/api/audit-events?actorPrincipalId=${ada.id}`,
  );
  const actor = { type: "user", id: ada.id, displayName: "Ada Lovelace" };
  expect(body.auditEvents).toMatchObject([
    { action: "principal.disabled", actor, details: { principalId: account.id, displayName: "Engine" } },
    { action: "principal.created", actor },
  ]);
});
