import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import type { Environment } from "@waymark/shared/environments/schema.ts";
import type { EnvironmentSecret } from "@waymark/shared/environments/secrets/schema.ts";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startApi, startStack } from "@waymark/test-support/stack.ts";

const VALUE = "kE3p-me-s4fe!";
const HOSTS = ["api.example.com"];

let stack: Stack;
let environment: Environment;
let secrets: string;
beforeAll(async () => {
  stack = await startStack();
  const servers = { orders: "https://orders.example.com/v1", local: "http://localhost:8080" };
  environment = (await stack.http.post<Environment>("/api/environments", { name: "staging", servers })).body;
  secrets = `/api/environments/${environment.id}/secrets`;
});
afterAll(() => stack[Symbol.asyncDispose]());

const set = (name: string, body: unknown, options = {}) =>
  stack.http.request("PUT", `${secrets}/${name}`, { body, ...options });
const list = async () => (await stack.http.get<{ secrets: EnvironmentSecret[] }>(secrets)).body.secrets;
const find = async (name: string) => (await list()).find((secret) => secret.name === name);

describe("a secret", () => {
  it("is set, replaced and listed with hosts, version and setter, and never with its value", async () => {
    const first = await set("TOKEN", { value: VALUE, hosts: HOSTS });
    expect([first.status, first.text]).toEqual([204, ""]);
    const { id } = (await stack.http.get<{ id: string }>("/api/api-keys/self")).body;
    expect(await list()).toEqual([
      {
        name: "TOKEN",
        hosts: HOSTS,
        version: 1,
        updatedByKeyId: id,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        lastUsedAt: null,
      },
    ]);
    expect((await set("TOKEN", { value: `${VALUE}2`, hosts: ["*.example.com"] })).status).toBe(204);
    expect(await find("TOKEN")).toMatchObject({ version: 2, hosts: ["*.example.com"] });
  });

  it("is for the hosts of the servers by default, and stays with them when the servers change", async () => {
    await set("DEFAULT", { value: VALUE });
    const { body } = await stack.http.get<Environment>(`/api/environments/${environment.id}`);
    const moved = await stack.http.request("PUT", `/api/environments/${environment.id}`, {
      body: { name: environment.name, servers: { orders: "https://elsewhere.example" } },
      headers: { "if-match": `"${body.revision}"` },
    });
    expect(moved.status).toBe(200);
    expect(await find("DEFAULT")).toMatchObject({ hosts: ["localhost:8080", "orders.example.com"] });

    const bare = await stack.http.post<Environment>("/api/environments", { name: randomUUID() });
    const refused = await stack.http.request("PUT", `/api/environments/${bare.body.id}/secrets/TOKEN`, {
      body: { value: VALUE },
    });
    expect(errorOf(refused)).toMatchObject({ status: 400, details: [{ path: "hosts" }] });
  });

  it("is deleted once, and begins again with version 1", async () => {
    await set("GONE", { value: VALUE, hosts: HOSTS });
    await set("GONE", { value: VALUE, hosts: HOSTS });
    expect((await stack.http.request("DELETE", `${secrets}/GONE`)).status).toBe(204);
    expect((await stack.http.request("DELETE", `${secrets}/GONE`)).status).toBe(404);
    expect(await find("GONE")).toBeUndefined();
    await set("GONE", { value: VALUE, hosts: HOSTS });
    expect(await find("GONE")).toMatchObject({ version: 1 });
  });

  it("is recorded when it is set and deleted, without its value", async () => {
    await set("RECORDED", { value: VALUE, hosts: HOSTS });
    await stack.http.request("DELETE", `${secrets}/RECORDED`);
    const { body, text } = await stack.http.get<{ auditEvents: AuditEvent[] }>("/api/audit-events?limit=200");
    const events = body.auditEvents.filter(({ details }) => details["secret"] === "RECORDED");
    expect(events.map(({ action, details }) => ({ action, details }))).toEqual([
      { action: "secret.deleted", details: { environmentId: environment.id, secret: "RECORDED" } },
      {
        action: "secret.set",
        details: { environmentId: environment.id, secret: "RECORDED", version: 1, hosts: HOSTS },
      },
    ]);
    expect(text).not.toContain(VALUE);
  });

  it.each([
    ["a short value", { value: "s3cr3t!", hosts: HOSTS }, "value"],
    ["a common word", { value: "password", hosts: HOSTS }, "value"],
    ["a value that is too long", { value: "aB3-".repeat(16_385), hosts: HOSTS }, "value"],
    ["a number", { value: 1_234_567_890, hosts: HOSTS }, "value"],
    ["no value", { hosts: HOSTS }, "value"],
    ["a host that is none", { value: VALUE, hosts: ["https://example.com"] }, "hosts[0]"],
    ["no host", { value: VALUE, hosts: [] }, "hosts"],
    ["an unknown field", { value: VALUE, hosts: HOSTS, expires: 1 }, ""],
  ])("is refused with %s, and the message shows no value", async (_what, body, path) => {
    const answer = await set("REFUSED", body);
    expect(errorOf(answer)).toMatchObject({ status: 400, code: "validation_failed", details: [{ path }] });
    expect(answer.text).not.toContain(String("value" in body ? body.value : VALUE).slice(0, 16));
    expect(await find("REFUSED")).toBeUndefined();
  });

  it.each(["1TOKEN", "TO-KEN", "TO%20KEN", "T".repeat(101), "__proto__"])(
    "is never named %s",
    async (name) => {
      expect((await set(name, { value: VALUE, hosts: HOSTS })).status).toBe(404);
    },
  );

  it("keeps the largest value, also where JSON writes each of its characters as six", async () => {
    const value = "\u0001\u0002".repeat(32 * 1024);
    expect((await set("LARGE", { value, hosts: HOSTS })).status).toBe(204);
    expect(await find("LARGE")).toMatchObject({ version: 1 });
  });

  it("gets one version for each of many that are set at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => set("BUSY", { value: `${VALUE}${n}`, hosts: HOSTS })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    expect(await find("BUSY")).toMatchObject({ version: 10 });
  });

  it("is stored encrypted, each with a nonce of its own, under one data key of the organization", async () => {
    const rows = await query<{ ciphertext: Buffer; nonce: Buffer; data_key_id: string }>(
      stack,
      "SELECT ciphertext, nonce, data_key_id FROM environment_secrets",
    );
    expect(rows.length).toBeGreaterThan(4);
    for (const { ciphertext } of rows) expect(ciphertext.includes(VALUE)).toBe(false);
    expect(new Set(rows.map(({ nonce }) => nonce.toString("hex"))).size).toBe(rows.length);
    expect(new Set(rows.map((row) => row.data_key_id)).size).toBe(1);
  });

  it("needs secrets:write for its environment: environments:write is not enough", async () => {
    const request = { value: VALUE, hosts: HOSTS };
    const writer = await createKey(stack, ["environments:write", "environments:read"]);
    expect((await set("SCOPED", request, { key: writer })).status).toBe(403);
    const own = await createKey(stack, [{ permission: "secrets:write", environmentId: environment.id }]);
    expect((await set("SCOPED", request, { key: own })).status).toBe(204);
    expect((await stack.http.get(secrets, { key: own })).status).toBe(403);
  });
});

it("without a key ring nothing is stored, and the message says what the operator sets; the rest works", async () => {
  await using api = await startApi({ databaseUrl: stack.databaseUrl, env: { JOURNEY_KEYS: "" } });
  const http = createHttpClient(api.baseUrl, { key: stack.apiKey });
  const refused = await http.request("PUT", `${secrets}/UNSET`, { body: { value: VALUE, hosts: HOSTS } });
  expect(errorOf(refused)).toMatchObject({
    status: 409,
    code: "encryption_key_missing",
    message: expect.stringContaining("must set JOURNEY_KEYS"),
  });
  expect(await find("UNSET")).toBeUndefined();
  expect((await http.get(secrets)).status).toBe(200);
});

it("an api with another key ring names the key that it lacks", async () => {
  const other = `new:${Buffer.alloc(32, 7).toString("base64")}`;
  await using api = await startApi({ databaseUrl: stack.databaseUrl, env: { JOURNEY_KEYS: other } });
  const http = createHttpClient(api.baseUrl, { key: stack.apiKey });
  const refused = await http.request("PUT", `${secrets}/UNSET`, { body: { value: VALUE, hosts: HOSTS } });
  expect(errorOf(refused)).toMatchObject({
    status: 409,
    code: "encryption_key_missing",
    message: expect.stringContaining('need the key "test"'),
  });
});

// The last one: it fills the environment.
it("an environment has 100 secrets at most, and those can still be replaced", async () => {
  const answers = [];
  for (let n = 0; n < 100; n++) answers.push(await set(`FILL_${n}`, { value: VALUE, hosts: HOSTS }));
  const refused = answers.filter(({ status }) => status !== 204);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) {
    expect(errorOf(answer)).toMatchObject({ status: 409, code: "limit_reached" });
  }
  expect(await list()).toHaveLength(100);
  expect((await set("FILL_0", { value: VALUE, hosts: HOSTS })).status).toBe(204);
});
