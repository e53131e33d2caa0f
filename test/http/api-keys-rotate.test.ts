import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Created, errorOf, makeKey } from "@waymark/test-support/api-keys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

const ANY_ID = "11111111-1111-1111-1111-111111111111";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

function rotate(id: string, body: unknown = { graceSeconds: 60 }, key?: string) {
  return stack.http.post<Created>(`/api/api-keys/${id}/rotate`, body, key === undefined ? {} : { key });
}
const use = async (key: string) => errorOf(await stack.http.get("/api/limits", { key }));
const read = async (id: string) =>
  (await stack.http.get<ApiKey>(`/api/api-keys/${id}?organizationId=${stack.organizationId}`)).body;

describe("POST /api/api-keys/{apiKeyId}/rotate", () => {
  it("returns a new raw key with the same name, owner, scopes and expiry", async () => {
    const old = await makeKey(stack, {
      name: "deploys",
      ownerPrincipalType: "user",
      ownerPrincipalId: ANY_ID,
      scopes: ["scans:create", { permission: "services:read", serviceId: ANY_ID }],
      expiresAt: "2999-01-01T00:00:00.000Z",
    });
    const answer = await rotate(old.id);
    expect(answer.status).toBe(201);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("location")).toBe(`/api/api-keys/${answer.body.id}`);
    const { id, rawKey, prefix, createdAt, createdBy: _by, ...kept } = answer.body;
    expect(old).toMatchObject(kept);
    expect(id).not.toBe(old.id);
    expect(prefix).toBe(rawKey.slice(0, 16));
    expect(prefix).not.toBe(old.prefix);
    expect(createdAt >= old.createdAt).toBe(true);
    expect((await use(rawKey)).status).toBe(200);
  });

  it("says of the old key which one replaces it, also after another rotation", async () => {
    const old = await makeKey(stack, {});
    expect((await read(old.id)).replacedBy).toBeNull();
    for (let rotations = 0; rotations < 2; rotations++) {
      const { body } = await rotate(old.id);
      expect(body).toMatchObject({ replacedBy: null });
      expect((await read(old.id)).replacedBy).toBe(body.id);
    }
  });

  it("keeps the old key valid until the grace period ends, and not a request longer", async () => {
    const old = await makeKey(stack, {});
    const before = Date.now();
    await rotate(old.id, { graceSeconds: 600 });
    expect((await use(old.rawKey)).status).toBe(200);
    const { expiresAt, status } = await read(old.id);
    expect(status).toBe("active");
    const end = Date.parse(expiresAt ?? "");
    expect(end - before).toBeGreaterThan(599_000);
    expect(end - Date.now()).toBeLessThanOrEqual(600_000);

    await query(stack, "UPDATE api_keys SET expires_at = clock_timestamp() WHERE id = $1", [old.id]);
    expect(await use(old.rawKey)).toMatchObject({ status: 401, code: "api_key_expired" });
    expect((await read(old.id)).status).toBe("expired");
  });

  it("ends the old key at once with a grace of 0", async () => {
    const old = await makeKey(stack, {});
    const { body } = await rotate(old.id, { graceSeconds: 0 });
    expect(await use(old.rawKey)).toMatchObject({ status: 401, code: "api_key_expired" });
    expect((await use(body.rawKey)).status).toBe(200);
  });

  it("never extends a lifetime: neither that of the old key, nor that of a key in its grace period", async () => {
    const soon = new Date(Date.now() + 600_000).toISOString();
    const old = await makeKey(stack, { expiresAt: soon });
    const { body } = await rotate(old.id, { graceSeconds: 3600 });
    expect(body.expiresAt).toBe(soon);
    expect((await read(old.id)).expiresAt).toBe(soon);

    const again = await makeKey(stack, {});
    await rotate(again.id, { graceSeconds: 60 });
    const first = (await read(again.id)).expiresAt;
    expect((await rotate(again.id, { graceSeconds: 3600 })).body.expiresAt).toBe(first);
    expect((await read(again.id)).expiresAt).toBe(first);
  });

  it("refuses expired and revoked keys with 409", async () => {
    const revoked = await makeKey(stack, {});
    await stack.http.post(`/api/api-keys/${revoked.id}/revoke`);
    expect(errorOf(await rotate(revoked.id))).toMatchObject({
      status: 409,
      code: "api_key_not_active",
      message: expect.stringContaining("revoked"),
    });
    const expired = await makeKey(stack, {});
    await rotate(expired.id, { graceSeconds: 0 });
    expect(errorOf(await rotate(expired.id))).toMatchObject({
      status: 409,
      message: expect.stringContaining("expired"),
    });
  });

  it.each([
    ["no body", undefined],
    ["no grace", {}],
    ["a negative grace", { graceSeconds: -1 }],
    ["half a second", { graceSeconds: 0.5 }],
    ["a grace of more than 30 days", { graceSeconds: 30 * 86_400 + 1 }],
    ["a grace in words", { graceSeconds: "60" }],
    ["an unknown field", { graceSeconds: 60, scopes: ["*"] }],
  ])("responds with 400 to %s, and rotates nothing", async (_name, body) => {
    const { id } = await makeKey(stack, {});
    expect((await stack.http.post(`/api/api-keys/${id}/rotate`, body)).status).toBe(400);
    expect((await read(id)).expiresAt).toBeNull();
  });

  it("responds with 404 to an id that is malformed, unknown or another organization's", async () => {
    const strangers = await createHostedOrganization(stack.databaseUrl, "Strangers");
    const [other] = await query<{ id: string }>(stack, "SELECT id FROM api_keys WHERE organization_id = $1", [
      strangers.organizationId,
    ]);
    for (const id of ["nonsense", ANY_ID, other?.id ?? ""]) expect((await rotate(id)).status).toBe(404);
    const { id } = await makeKey(stack, {});
    const answer = await rotate(id, { graceSeconds: 60, organizationId: strangers.organizationId });
    expect(errorOf(answer)).toMatchObject({ status: 403, code: "organization_mismatch" });
  });

  it("grants no more than the caller has: neither scopes nor lifetime", async () => {
    const caller = await createKey(stack, ["api-keys:create", "api-keys:revoke", "services:read"]);
    const wider = await makeKey(stack, { scopes: ["services:read", "audit:read"] });
    expect(errorOf(await rotate(wider.id, undefined, caller))).toMatchObject({
      status: 403,
      code: "permission_denied",
      message: expect.stringContaining("scopes[1] (audit:read)"),
    });
    expect((await read(wider.id)).expiresAt).toBeNull();
    const equal = await makeKey(stack, { scopes: ["services:read"] });
    expect((await rotate(equal.id, undefined, caller)).status).toBe(201);

    const mortal = await createKey(stack, ["*"], { expiresAt: new Date(Date.now() + 600_000) });
    const immortal = await makeKey(stack, {});
    expect(errorOf(await rotate(immortal.id, undefined, mortal))).toMatchObject({
      status: 403,
      message: expect.stringContaining("outlives"),
    });
  });

  it("lets a key rotate itself; after its end it rotates nothing", async () => {
    const scopes = ["api-keys:create", "api-keys:revoke"];
    const own = await makeKey(stack, { scopes });
    const next = await rotate(own.id, { graceSeconds: 0 }, own.rawKey);
    expect(next.status).toBe(201);
    expect((await rotate(next.body.id, undefined, own.rawKey)).status).toBe(401);
    expect((await rotate(next.body.id, undefined, next.body.rawKey)).status).toBe(201);
  });

  it("handles ten concurrent rotations of a key by itself", async () => {
    const own = await makeKey(stack, { scopes: ["api-keys:create", "api-keys:revoke"] });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => rotate(own.id, { graceSeconds: 0 }, own.rawKey)),
    );
    const statuses = answers.map((answer) => answer.status);
    // One succeeds; for the others the key has ended before their check (401) or after it (409).
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401 || status === 409)).toHaveLength(9);
  });
});

describe("a leaked key that is being revoked", () => {
  it("can create no key after the response to its revocation, even with continuous requests", async () => {
    const body = { name: "child", ownerPrincipalType: "user", scopes: ["api-keys:create"] };
    for (let round = 0; round < 10; round++) {
      const leaked = await makeKey(stack, { scopes: ["api-keys:create"] });
      const children = async () =>
        (await query(stack, "SELECT FROM api_keys WHERE created_by = $1", [leaked.id])).length;
      const stop = new AbortController();
      const thief = async () => {
        while (!stop.signal.aborted) await stack.http.post("/api/api-keys", body, { key: leaked.rawKey });
      };
      const thieves = Array.from({ length: 6 }, thief);
      await expect.poll(children).toBeGreaterThan(0);
      expect((await stack.http.post(`/api/api-keys/${leaked.id}/revoke`)).status).toBe(200);
      const atItsEnd = await children();
      await new Promise((resolve) => setTimeout(resolve, 50));
      stop.abort();
      await Promise.all(thieves);
      expect(await children()).toBe(atItsEnd);
    }
  });
});
