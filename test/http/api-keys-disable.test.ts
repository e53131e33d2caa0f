import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storeKey } from "@waymark/test-support/api-key-ids.ts";
import { errorOf, makeKey } from "@waymark/test-support/api-keys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

const ANY_ID = "11111111-1111-1111-1111-111111111111";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const change = (id: string, what: "disable" | "enable", key?: string, body?: unknown) =>
  stack.http.post<ApiKey>(`/api/api-keys/${id}/${what}`, body, key === undefined ? {} : { key });
const use = async (key: string) => errorOf(await stack.http.get("/api/limits", { key }));

describe("a disabled key", () => {
  it("is refused from the next request on, stays active, and works again once enabled", async () => {
    const { rawKey, warning: _warning, ...key } = await makeKey(stack, {});
    const disabled = await change(key.id, "disable");
    expect(disabled.status).toBe(200);
    expect(disabled.body).toEqual({ ...key, disabledAt: expect.stringMatching(/Z$/), status: "active" });
    expect(await use(rawKey)).toMatchObject({ status: 401, code: "api_key_disabled" });
    expect((await stack.http.post("/api/api-keys/self/revoke", {}, { key: rawKey })).status).toBe(401);

    const enabled = await change(key.id, "enable", undefined, { organizationId: stack.organizationId });
    expect(enabled.status).toBe(200);
    expect(enabled.body).toEqual(key);
    expect(await use(rawKey)).toMatchObject({ status: 200 });
  });

  it("a repetition of disabling or enabling has the same response and no event", async () => {
    const { id } = await makeKey(stack, {});
    const [first, second] = [await change(id, "disable"), await change(id, "disable")];
    expect(second.body).toEqual(first.body);
    await change(id, "enable");
    expect((await change(id, "enable")).body.disabledAt).toBeNull();
    const { body } = await stack.http.get<{ auditEvents: AuditEvent[] }>(`/api/audit-events?apiKeyId=${id}`);
    expect(body.auditEvents.map((event) => event.action)).toEqual([
      "api_key.enabled",
      "api_key.disabled",
      "api_key.created",
    ]);
  });

  it("leaves an event of its refused use", async () => {
    const { id, rawKey } = await makeKey(stack, {});
    await change(id, "disable");
    await use(rawKey);
    const { body } = await stack.http.get<{ auditEvents: AuditEvent[] }>(`/api/audit-events?apiKeyId=${id}`);
    expect(body.auditEvents[0]).toMatchObject({ action: "api_key.use_denied", code: "api_key_disabled" });
  });

  it("ends the sessions that were opened with it", async () => {
    const { id, rawKey } = await makeKey(stack, {});
    const signedIn = await stack.http.post("/api/session", { apiKey: rawKey }, { key: null });
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
    const ask = () => stack.http.get("/api/session", { key: null, headers: { cookie } });
    expect((await ask()).status).toBe(200);
    await change(id, "disable");
    expect(errorOf(await ask())).toMatchObject({ status: 401, code: "api_key_disabled" });
  });

  it("can't be rotated, which would bypass the disabling, and can be revoked", async () => {
    const { id } = await makeKey(stack, {});
    await change(id, "disable");
    const rotated = errorOf(await stack.http.post(`/api/api-keys/${id}/rotate`, { graceSeconds: 0 }));
    expect(rotated).toMatchObject({ status: 409, code: "api_key_not_active" });
    const revoked = await stack.http.post<ApiKey>(`/api/api-keys/${id}/revoke`);
    expect(revoked.body).toMatchObject({ status: "revoked", disabledAt: expect.any(String) });
  });
});

describe("disabling and enabling", () => {
  it("are refused with 409 for a key that is revoked or expired", async () => {
    for (const [options, status] of [
      [{ revoked: true }, "revoked"],
      [{ expiresAt: new Date(Date.now() - 1000), disabled: true }, "expired"],
    ] as const) {
      const { id } = await storeKey(stack, stack, ["services:read"], options);
      for (const what of ["disable", "enable"] as const) {
        expect(errorOf(await change(id, what))).toMatchObject({
          status: 409,
          code: "api_key_not_active",
          message: expect.stringContaining(status),
        });
      }
    }
  });

  it("enabling needs what creating that key would: its scopes, expiry and networks", async () => {
    const target = await storeKey(stack, stack, ["services:read"], { disabled: true });
    const creator = (scopes: string[], options = {}) =>
      createKey(stack, ["api-keys:create", ...scopes], options);
    const tooLittle = [
      await creator([]),
      await creator(["services:read"], { expiresAt: new Date(Date.now() + 60_000) }),
      await creator(["services:read"], { allowedNetworks: ["127.0.0.0/8"] }),
    ];
    for (const key of tooLittle) expect((await change(target.id, "enable", key)).status).toBe(403);
    expect(await use(target.rawKey)).toMatchObject({ status: 401 });
    expect((await change(target.id, "enable", await creator(["services:read"]))).status).toBe(200);
    expect(await use(target.rawKey)).toMatchObject({ status: 200 });
  });

  it("a key with api-keys:revoke can disable itself, but not enable itself", async () => {
    const scopes = ["api-keys:create", "api-keys:revoke"];
    const { id, rawKey } = await makeKey(stack, { scopes });
    expect((await change(id, "disable", rawKey)).status).toBe(200);
    expect((await change(id, "enable", rawKey)).status).toBe(401);
  });

  it("respond with 404 to an id that is malformed, unknown or another organization's, and 400 to unknown fields", async () => {
    const strangers = await createHostedOrganization(stack.databaseUrl, "Strangers");
    const theirs = await makeKey(stack, {}, { key: strangers.apiKey });
    const own = await makeKey(stack, {});
    for (const what of ["disable", "enable"] as const) {
      for (const id of ["nonsense", ANY_ID, theirs.id]) expect((await change(id, what)).status).toBe(404);
      expect((await change(own.id, what, undefined, { reason: "x" })).status).toBe(400);
      const wrong = { organizationId: strangers.organizationId };
      expect((await change(own.id, what, undefined, wrong)).status).toBe(403);
    }
    expect(await use(theirs.rawKey)).toMatchObject({ status: 200 });
  });
});
