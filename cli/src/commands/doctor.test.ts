import { describe, expect, test } from "vitest";
import { answerJson, startFakeServer } from "../test-support/fake-server.ts";
import { runCaptured } from "../test-support/run-captured.ts";

const ID = "019a0000-0000-7000-8000-000000000003";
const key = {
  id: ID,
  name: "ci",
  prefix: "wmk_abc",
  ownerPrincipalType: "service_account",
  ownerPrincipalId: null,
  ownerDisplayName: null,
  createdBy: null,
  scopes: [
    { permission: "scans:create" },
    { permission: "services:read" },
    { permission: "services:update" },
    { permission: "endpoints:read" },
    { permission: "endpoints:write" },
  ],
  expiresAt: null as string | null,
  lastUsedAt: null,
  revokedAt: null,
  status: "active",
  createdAt: "2026-01-01T00:00:00Z",
  organizationId: ID,
  principal: { type: "service_account", id: null, displayName: null },
};

async function doctor(
  options: { key?: Partial<typeof key>; services?: string[]; date?: string } = {},
  args: string[] = [],
) {
  const server = await startFakeServer((request, response) => {
    const headers = options.date === undefined ? {} : { date: options.date };
    if (request.url === "/healthz") return answerJson(response, 200, {}, headers);
    if (request.headers.authorization !== "Bearer k") {
      return answerJson(response, 401, { error: { code: "invalid_api_key", message: "No." } });
    }
    if (request.url.startsWith("/api/services")) {
      const services = (options.services ?? ["orders"]).map((name) => ({ id: ID, name }));
      return answerJson(response, 200, { services });
    }
    return answerJson(response, 200, { ...key, ...options.key });
  });
  const result = await runCaptured(["doctor", "--service", "orders", "--api-url", server.url, ...args], {
    env: { SERVICE_API_KEY: "k" },
  });
  return { ...result, requests: server.requests };
}

describe("waymark doctor", () => {
  test("says that a scan should work when it would, and sends none", async () => {
    const { exitCode, stdout, stderr, requests } = await doctor();
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout.split("\n").filter((line) => line !== "" && !line.startsWith("ok "))).toEqual([]);
    expect(stdout).toContain("service: orders exists\n");
    expect(requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test("a new service needs services:create, an existing one services:update", async () => {
    const fresh = await doctor({ services: [] });
    expect(fresh.exitCode).toBe(3);
    expect(fresh.stdout).toContain("lacks the permission services:create");
    const bound = {
      scopes: [{ permission: "*", resourceConstraints: { serviceNames: ["other"] } }],
    } as never;
    expect((await doctor({ key: bound })).exitCode).toBe(3);
  });

  test("warns of a key that can scan and can't read what a gate needs", async () => {
    const scopes = key.scopes.filter(({ permission }) => permission !== "endpoints:read");
    const { exitCode, stdout } = await doctor({ key: { scopes } });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^warning +gates: .*lacks the permission endpoints:read\.$/m);
  });

  test("a key that is wrong or missing ends with the exit code of a scan, after the server was reached", async () => {
    const wrong = await doctor({}, ["--api-key", "wrong"]);
    expect(wrong.exitCode).toBe(3);
    expect(wrong.stdout).toMatch(
      /ok +server: .*\n.*\nfailed +reading the key failed: HTTP 401 invalid_api_key/,
    );
    const missing = await runCaptured(["doctor", "--api-url", "http://127.0.0.1:9"]);
    expect(missing.exitCode).toBe(4);
    expect(missing.stdout).toContain("the connection was refused");
  });

  test("warns of a key that soon expires and of a clock that is off", async () => {
    const soon = new Date(Date.now() + 3.5 * 86_400_000).toISOString();
    const { exitCode, stdout } = await doctor({
      key: { expiresAt: soon },
      date: new Date(Date.now() - 600_000).toUTCString(),
    });
    expect(exitCode).toBe(0);
    expect(stdout).toContain("expires in 3 days");
    expect(stdout).toMatch(/warning +clock: this machine is \d+ s ahead of the server/);
  });
});
