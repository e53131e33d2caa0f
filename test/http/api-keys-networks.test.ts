import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Created, errorOf, makeKey, requestKey } from "@waymark/test-support/api-keys.ts";
import { runNode } from "@waymark/test-support/run-node.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

// The api is behind one proxy, so that a test can choose the address of a request.
let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ apiEnv: { TRUST_PROXY: "1" } });
});
afterAll(() => stack[Symbol.asyncDispose]());

const useFrom = async (address: string, key: string, headers: Record<string, string> = {}) =>
  errorOf(await stack.http.get("/api/limits", { key, headers: { "x-forwarded-for": address, ...headers } }));

describe("a key that is bound to networks", () => {
  it("works only from inside them, on IPv4 and IPv6, by the client's real address, not by its headers", async () => {
    const { rawKey } = await makeKey(stack, { allowedNetworks: ["203.0.113.0/24", "2001:db8::/32"] });
    for (const inside of [
      "203.0.113.0",
      "203.0.113.255",
      "::ffff:203.0.113.7",
      "2001:db8:ffff::1",
      // The last one is the address that the proxy saw.
      "198.51.100.1, 203.0.113.7",
    ]) {
      expect({ inside, ...(await useFrom(inside, rawKey)) }).toMatchObject({ inside, status: 200 });
    }
    for (const outside of [
      "203.0.112.255",
      "203.0.114.0",
      "::ffff:203.0.114.7",
      "2001:db9::",
      "::1",
      "unknown",
      "203.0.113.7, 198.51.100.1",
    ]) {
      expect({ outside, ...(await useFrom(outside, rawKey)) }).toMatchObject({
        outside,
        status: 403,
        code: "network_not_allowed",
      });
    }
  });

  it("is refused with its address in the message, and in one audit event a minute", async () => {
    const { id, rawKey } = await makeKey(stack, { allowedNetworks: ["203.0.113.0/24"] });
    for (let i = 1; i <= 20; i++) {
      const { message } = await useFrom(`198.51.100.${i}`, rawKey);
      expect(message).toContain(`198.51.100.${i}`);
    }
    const path = `/api/audit-events?apiKeyId=${id}&action=api_key.use_denied`;
    const { body } = await stack.http.get<{ auditEvents: AuditEvent[] }>(path);
    expect(body.auditEvents.length).toBeLessThanOrEqual(2);
    expect(body.auditEvents.at(-1)).toMatchObject({
      actorKeyId: id,
      code: "network_not_allowed",
      route: "GET /api/limits",
      address: "198.51.100.1",
    });
  });

  it("shows the reason only to callers with the secret", async () => {
    const { rawKey } = await makeKey(stack, { allowedNetworks: ["203.0.113.0/24"] });
    const { withAnotherSecret } = await import("@waymark/test-support/guessed-key.ts");
    expect(await useFrom("198.51.100.1", withAnotherSecret(rawKey))).toMatchObject({ status: 401 });
  });

  it("is refused as revoked or disabled before it is refused for its network", async () => {
    const { id, rawKey } = await makeKey(stack, { allowedNetworks: ["203.0.113.0/24"] });
    await stack.http.post(`/api/api-keys/${id}/disable`);
    expect(await useFrom("198.51.100.1", rawKey)).toMatchObject({ status: 401, code: "api_key_disabled" });
    await stack.http.post(`/api/api-keys/${id}/revoke`);
    expect(await useFrom("198.51.100.1", rawKey)).toMatchObject({ status: 401, code: "api_key_revoked" });
  });

  it("opens sessions only from inside, and every request of them is checked", async () => {
    const { rawKey } = await makeKey(stack, { allowedNetworks: ["203.0.113.0/24"] });
    const signIn = (address: string) =>
      stack.http.post(
        "/api/session",
        { apiKey: rawKey },
        { key: null, headers: { "x-forwarded-for": address } },
      );
    expect(errorOf(await signIn("198.51.100.1"))).toMatchObject({ status: 403, code: "network_not_allowed" });
    const cookie = (await signIn("203.0.113.7")).headers.get("set-cookie")?.split(";")[0] ?? "";
    const ask = async (address: string) =>
      errorOf(
        await stack.http.get("/api/session", { key: null, headers: { cookie, "x-forwarded-for": address } }),
      );
    expect(await ask("203.0.113.8")).toMatchObject({ status: 200 });
    expect(await ask("198.51.100.1")).toMatchObject({ status: 403, code: "network_not_allowed" });
  });

  it("accepts no scan from elsewhere, and doesn't read its body", async () => {
    const { rawKey } = await makeKey(stack, { scopes: ["*"], allowedNetworks: ["203.0.113.0/24"] });
    const answer = await stack.http.post("/api/scans/ingest", "{", { key: rawKey });
    expect(errorOf(answer)).toMatchObject({ status: 403, code: "network_not_allowed" });
  });
});

describe("allowedNetworks of a new key", () => {
  it("are stored in canonical form without duplicates, and shown", async () => {
    const created = await makeKey(stack, {
      allowedNetworks: ["203.0.113.7", "2001:DB8:0::/48", "::ffff:10.0.0.0/104", "10.0.0.0/8"],
    });
    const networks = ["203.0.113.7/32", "2001:db8::/48", "10.0.0.0/8"];
    expect(created.allowedNetworks).toEqual(networks);
    const path = `/api/api-keys/${created.id}?organizationId=${stack.organizationId}`;
    expect((await stack.http.get(path)).body).toMatchObject({ allowedNetworks: networks });
  });

  it.each([[undefined], [null]])("of %j mean anywhere", async (allowedNetworks) => {
    const created = await makeKey(stack, { allowedNetworks });
    expect(created.allowedNetworks).toBeNull();
    expect(await useFrom("198.51.100.1", created.rawKey)).toMatchObject({ status: 200 });
  });

  it("are at most 50", async () => {
    const networks = Array.from({ length: 51 }, (_, index) => `10.${index}.0.0/16`);
    const created = await makeKey(stack, { allowedNetworks: networks.slice(0, 50) });
    expect(created.allowedNetworks).toEqual(networks.slice(0, 50));
    expect(await useFrom("10.49.255.255", created.rawKey)).toMatchObject({ status: 200 });
    expect(await useFrom("10.50.0.0", created.rawKey)).toMatchObject({ status: 403 });
    const error = errorOf(await requestKey(stack, { allowedNetworks: networks }));
    expect(error).toMatchObject({ status: 400, details: [{ path: "allowedNetworks" }] });
  });

  it.each<[string, unknown, string, RegExp]>([
    ["host bits", ["10.0.0.0/8", "192.0.2.7/24"], "allowedNetworks[1]", /The network is 192\.0\.2\.0\/24/],
    ["no network", ["office"], "allowedNetworks[0]", /such as 10\.0\.0\.0\/8/],
    ["an API key", [`wmk_abcdefghijkl_${"a".repeat(39)}`], "allowedNetworks[0]", /such as/],
    ["an empty list", [], "allowedNetworks", /at least 1/],
    ["a text", "10.0.0.0/8", "allowedNetworks", /array/],
    ["a number", [10], "allowedNetworks[0]", /string/],
  ])("respond with 400 to %s, with its place", async (_name, allowedNetworks, path, message) => {
    const error = errorOf(await requestKey(stack, { allowedNetworks }));
    expect(error).toMatchObject({
      status: 400,
      code: "validation_failed",
      details: [{ path, message: expect.stringMatching(message) }],
    });
  });

  it("are inside the calling key's own, also if it rotates another key", async () => {
    const inside = { headers: { "x-forwarded-for": "10.1.2.3" } };
    const { rawKey: key } = await makeKey(stack, { scopes: ["*"], allowedNetworks: ["10.0.0.0/8"] });
    const ask = (allowedNetworks?: string[]) =>
      stack.http.post<Created>(
        "/api/api-keys",
        {
          name: "child",
          ownerPrincipalType: "user",
          scopes: ["services:read"],
          ...(allowedNetworks === undefined ? {} : { allowedNetworks }),
        },
        { key, ...inside },
      );
    for (const networks of [undefined, ["0.0.0.0/0"], ["10.0.0.0/8", "11.0.0.0/8"], ["::/0"]]) {
      expect(errorOf(await ask(networks))).toMatchObject({
        status: 403,
        code: "permission_denied",
        message: expect.stringMatching(/allowedNetworks.*10\.0\.0\.0\/8/),
      });
    }
    const child = await ask(["10.1.0.0/16"]);
    expect(child.status).toBe(201);
    const rotate = (id: string) =>
      stack.http.post<Created>(`/api/api-keys/${id}/rotate`, { graceSeconds: 60 }, { key, ...inside });
    expect((await rotate(child.body.id)).body.allowedNetworks).toEqual(["10.1.0.0/16"]);
    const unbound = await makeKey(stack, {});
    expect((await rotate(unbound.id)).status).toBe(403);
  });

  it("can be set by the operator", async () => {
    const args = ["services/api/src/admin.ts", "create-key", "--organization", stack.organizationId];
    const options = ["--name", "x", "--scope", "a:b", "--network", "203.0.113.7", "--network", "::1/128"];
    const { id } = JSON.parse(
      await runNode([...args, ...options, "--json"], { DATABASE_URL: stack.databaseUrl }),
    ) as { id: string };
    const path = `/api/api-keys/${id}?organizationId=${stack.organizationId}`;
    expect((await stack.http.get(path)).body).toMatchObject({
      allowedNetworks: ["203.0.113.7/32", "::1/128"],
    });
  });
});
