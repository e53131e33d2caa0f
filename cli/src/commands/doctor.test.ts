import { describe, expect, test } from "vitest";
import { answerJson, startFakeServer } from "../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

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

const queuedRun = (seconds: number) => ({
  id: ID,
  journeyPath: "a.journey.yaml",
  version: 1,
  environmentName: "staging",
  status: "queued",
  createdAt: new Date(Date.now() - seconds * 1_000).toISOString(),
  error: null,
  inDoubtStep: null,
});

async function doctor(
  options: {
    key?: Partial<typeof key>;
    services?: string[];
    /** The aliases of every service; undefined as on older servers. */
    aliases?: string[];
    nextCursor?: () => string;
    date?: string;
    storesSecrets?: boolean;
    waitingSeconds?: number;
  } = {},
  args: string[] = [],
  cwd?: string,
) {
  const server = await startFakeServer((request, response) => {
    const headers = options.date === undefined ? {} : { date: options.date };
    if (request.url === "/healthz") return answerJson(response, 200, {}, headers);
    if (request.headers.authorization !== "Bearer k") {
      return answerJson(response, 401, { error: { code: "invalid_api_key", message: "No." } });
    }
    if (request.url.startsWith("/api/services")) {
      const services = (options.services ?? ["orders"]).map((name) => ({
        id: ID,
        name,
        ...(options.aliases !== undefined && { aliases: options.aliases }),
      }));
      return answerJson(response, 200, { services, nextCursor: options.nextCursor?.() });
    }
    if (request.url === "/api/limits") {
      return answerJson(response, 200, { storesSecrets: options.storesSecrets ?? true });
    }
    if (request.url.startsWith("/api/journey-runs")) {
      const { waitingSeconds } = options;
      return answerJson(response, 200, {
        runs: waitingSeconds === undefined ? [] : [queuedRun(waitingSeconds)],
      });
    }
    return answerJson(response, 200, { ...key, ...options.key });
  });
  const result = await runCaptured(["doctor", "--service", "orders", "--api-url", server.url, ...args], {
    env: { SERVICE_API_KEY: "k" },
    ...(cwd === undefined ? {} : { cwd }),
  });
  return { ...result, requests: server.requests };
}

describe("waymark doctor", () => {
  test("reports that a scan would work, and sends none", async () => {
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

  test("warns about a key that can scan but can't read what a gate needs", async () => {
    const scopes = key.scopes.filter(({ permission }) => permission !== "endpoints:read");
    const { exitCode, stdout } = await doctor({ key: { scopes } });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^warning +gates: .*lacks the permission endpoints:read\.$/m);
  });

  test("says whether the key can read the journeys that a scan breaks, and warns where a gate needs it", async () => {
    const reads = await doctor({ key: { scopes: [...key.scopes, { permission: "journeys:read" }] } });
    expect(reads.stdout).toMatch(/^ok +journeys: /m);
    expect((await doctor()).stdout).not.toContain("journeys:");
    const folder = await temporaryFolder();
    await folder.write("waymark.yaml", "gates: { failOnBrokenJourneys: true }\n");
    const gated = await doctor({}, [], folder.path);
    expect(gated.exitCode).toBe(0);
    expect(gated.stdout).toMatch(/^warning +journeys: .*lacks the permission journeys:read\.$/m);
  });

  test("an invalid or missing key ends with the exit code of a scan, after the server was reached", async () => {
    const wrong = await doctor({}, ["--api-key", "wrong"]);
    expect(wrong.exitCode).toBe(3);
    expect(wrong.stdout).toMatch(
      /ok +server: .*\n.*\nok +key from: --api-key\nfailed +reading the key failed: HTTP 401 invalid_api_key/,
    );
    const missing = await runCaptured(["doctor", "--api-url", "http://127.0.0.1:9"]);
    expect(missing.exitCode).toBe(4);
    expect(missing.stdout).toContain("the connection was refused");
  });

  test("says what keeps journeys from running, to a key that can read them", async () => {
    const scopes = [...key.scopes, { permission: "journeys:read" }];
    const withJourneys = (more: Parameters<typeof doctor>[0]) => doctor({ key: { scopes }, ...more });
    expect((await withJourneys({})).stdout).toContain("ok       journeys: the server can run them\n");
    const broken = await withJourneys({ storesSecrets: false, waitingSeconds: 90 });
    expect(broken.exitCode).toBe(0);
    expect(broken.stdout).toMatch(/^warning +journeys: the server stores no secrets: .*JOURNEY_KEYS/m);
    expect(broken.stdout).toMatch(
      /^warning +journeys: 1 run waiting, the oldest for 90 s: no worker with the role/m,
    );
    expect((await doctor({ storesSecrets: false })).stdout).not.toContain("journeys");
  });

  test.each([
    ["repeats its last page", () => "same", 2],
    ["never ends", () => crypto.randomUUID(), 500],
  ])("reads a list that %s only for a while, and says so", async (_what, nextCursor, pagesMax) => {
    const { exitCode, stdout, requests } = await doctor({ services: ["other"], nextCursor });
    expect(stdout).toMatch(/listing services failed: the list of http:\S+ does not end\./);
    expect(exitCode).not.toBe(0);
    expect(requests.filter(({ url }) => url.startsWith("/api/services"))).toHaveLength(1 + pagesMax);
  });

  test("warns about a new name that looks like that of a service, and knows services by their aliases", async () => {
    const alike = await doctor({ services: ["Orders", "other"] });
    expect(alike.stdout).toMatch(/^warning +service: its name looks like that of Orders, and a scan would/m);
    expect((await doctor({ services: ["other"] })).stdout).not.toContain("looks like");
    const renamed = await doctor({ services: ["billing"], aliases: ["orders"] });
    expect(renamed.stdout).toContain("service: orders exists");
  });

  test("warns about a key that expires soon, and about a wrong clock", async () => {
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
