import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf, makeKey } from "@waymark/test-support/api-keys.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { ROUTE_CASES } from "@waymark/test-support/key-suite/route-cases.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { type Stack, startApi, startStack, type TestApi } from "@waymark/test-support/stack.ts";

/** The default of RATE_LIMIT_FAILED_AUTH_PER_MINUTE. */
const DEFAULT_MAX = 600;
const LOW_MAX = 50;
const SELF_REVOKE = "/api/api-keys/self/revoke";

let stack: Stack;
/** An api with a low limit, which is sooner reached. */
let low: TestApi;
let http: HttpClient;
beforeAll(async () => {
  stack = await startStack();
  low = await startApi({ ...stack, env: { RATE_LIMIT_FAILED_AUTH_PER_MINUTE: String(LOW_MAX) } });
  http = createHttpClient(low.baseUrl, { key: stack.apiKey });
});
afterAll(async () => {
  await low[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

/** Sends requests some at a time and counts their statuses. A minute may end between them: then some count again. */
async function hammer(times: number, send: () => Promise<{ status: number }>): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (let sent = 0; sent < times; sent += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, send));
    for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return counts;
}

describe("an unusable key", () => {
  it.each<[string, Parameters<typeof createKey>[2], () => HttpClient, number]>([
    ["revoked, with the default limit,", { revoked: true }, () => stack.http, DEFAULT_MAX],
    ["expired", { expiresAt: new Date(Date.now() - 1000) }, () => http, LOW_MAX],
  ])(
    "that is %s is limited on the route that revokes the calling key, and no other client is",
    async (_name, options, client, max) => {
      const key = await createKey(stack, ["*"], options);
      const counts = await hammer(max + 100, () => client().post(SELF_REVOKE, undefined, { key }));
      expect(Object.fromEntries(counts)).toEqual({ 401: max, 429: 100 });
      expect((await client().get("/api/limits")).status).toBe(200);
      expect((await client().get("/api/limits", { key: "junk" })).status).toBe(401);
    },
  );

  it("is limited on ingest, where usable keys have no limit, and at the sign-in", async () => {
    const scanning = await createKey(stack, ["*"], { revoked: true });
    const scans = await hammer(2 * LOW_MAX, () => http.post("/api/scans/ingest", {}, { key: scanning }));
    expect(Object.fromEntries(scans)).toEqual({ 401: LOW_MAX, 429: LOW_MAX });
    const signing = await createKey(stack, ["*"], { revoked: true });
    const signIns = await hammer(2 * LOW_MAX, () =>
      http.post("/api/session", { apiKey: signing }, { key: null }),
    );
    expect(Object.fromEntries(signIns)).toEqual({ 401: LOW_MAX, 429: LOW_MAX });
    // A log may show only this response, so it says that waiting does not help.
    const limited = await http.get("/api/services", { key: signing });
    expect(errorOf(limited)).toMatchObject({ code: "rate_limited" });
    expect(errorOf(limited).message).toMatch(
      /^This API key was revoked\. Use another one\. This server's limit of 50 /,
    );
  });

  it("is limited on every route that needs one", async () => {
    await using api = await startApi({ ...stack, env: { RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "2" } });
    const limited = createHttpClient(api.baseUrl);
    const { body } = await limited.get<{ paths: Record<string, Record<string, { operationId?: string }>> }>(
      "/openapi.json",
    );
    const tried: Record<string, number[]> = {};
    for (const [path, methods] of Object.entries(body.paths)) {
      for (const [method, { operationId = "" }] of Object.entries(methods)) {
        if (!(operationId in ROUTE_CASES)) continue;
        const key = await createKey(stack, ["*"], { revoked: true });
        const request = () =>
          limited.request(
            method.toUpperCase(),
            path.replaceAll(/\{\w+\}/g, "11111111-1111-1111-1111-111111111111"),
            { key },
          );
        tried[operationId] = [];
        for (let i = 0; i < 3; i++) tried[operationId]?.push((await request()).status);
      }
    }
    expect(tried).toEqual(
      Object.fromEntries(Object.keys(ROUTE_CASES).map((operationId) => [operationId, [401, 401, 429]])),
    );
  });
});

describe("a usable key", () => {
  const wrong = { organizationId: "11111111-1111-1111-1111-111111111111" };

  it("with many refused revocations is limited in those, and can still revoke itself", async () => {
    const { rawKey: key } = await makeKey(stack, { scopes: ["services:read"] });
    const counts = await hammer(2 * LOW_MAX, () => http.post(SELF_REVOKE, wrong, { key }));
    expect(Object.fromEntries(counts)).toEqual({ 403: LOW_MAX, 429: LOW_MAX });
    const refused = await http.post(SELF_REVOKE, "{", { key });
    expect(errorOf(refused)).toMatchObject({ status: 429, code: "rate_limited" });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    // Other routes have limits of their own.
    expect((await http.get("/api/services", { key })).status).toBe(200);

    const attack = hammer(300, () => http.post(SELF_REVOKE, wrong, { key }));
    const killed = await http.post(SELF_REVOKE, {}, { key });
    expect(killed.status).toBe(200);
    await attack;
    expect((await http.get("/api/services", { key })).status).not.toBe(200);
  });

  it("can be revoked by another key while it uses up its organization's limit", async () => {
    await using api = await startApi({ ...stack, env: { RATE_LIMIT_ORGANIZATION_PER_MINUTE: "5" } });
    const client = createHttpClient(api.baseUrl);
    const { id, rawKey } = await makeKey(stack, { scopes: ["services:read"] });
    const counts = await hammer(50, () => client.get("/api/services", { key: rawKey }));
    expect(Object.fromEntries(counts)).toEqual({ 200: 5, 429: 45 });
    expect((await client.get("/api/limits", { key: stack.apiKey })).status).toBe(429);
    expect((await client.post(`/api/api-keys/${id}/revoke`, {}, { key: stack.apiKey })).status).toBe(200);
  });
});
