import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { requireRedis, type TestRedis } from "@waymark/test-support/redis.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { createHostedOrganization, startApi, type TestApi } from "@waymark/test-support/stack.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const PAGE = "/operations/queues";
const QUEUES = `${PAGE}/api/queues?activeQueue=scan-persistence&status=latest&page=1&jobsPerPage=10`;

describe("the page of the queues", () => {
  let database: TestDatabase;
  let redis: TestRedis;
  let api: TestApi;
  let operator: { organizationId: string; apiKey: string };
  let tenant: { organizationId: string; apiKey: string };
  beforeAll(async () => {
    database = await createTestDatabase();
    redis = await requireRedis();
    operator = await createHostedOrganization(database.databaseUrl);
    tenant = await createHostedOrganization(database.databaseUrl);
    api = await startApi({
      databaseUrl: database.databaseUrl,
      redisUrl: redis.url,
      env: { OPERATIONS_ORGANIZATION_ID: operator.organizationId },
    });
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });
  const as = (key: string) => createHttpClient(api.baseUrl, { key });

  async function keyWith(permission: string): Promise<string> {
    const body = { name: permission, ownerPrincipalType: "service_account", scopes: [permission] };
    const { body: created } = await as(operator.apiKey).post<{ rawKey: string }>("/api/api-keys", body);
    return created.rawKey;
  }

  it("shows waiting announcements to keys with operations:read, and their page under a strict policy", async () => {
    const http = as(await keyWith("operations:read"));
    const accepted = await as(tenant.apiKey).post<{ scanRunId: string }>(
      "/api/scans/ingest",
      scanPayload({}),
    );
    expect(accepted.status).toBe(201);
    await expect.poll(async () => (await http.get(QUEUES)).text).toContain(accepted.body.scanRunId);
    const { queues } = (await http.get<{ queues: { name: string; readOnlyMode: boolean }[] }>(QUEUES)).body;
    expect(queues.map(({ name, readOnlyMode }) => ({ name, readOnlyMode }))).toEqual([
      { name: "scan-persistence", readOnlyMode: true },
      { name: "journey-runs", readOnlyMode: true },
    ]);

    const page = await http.get(`${PAGE}/`);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(page.headers.get("content-security-policy")).not.toContain("unsafe");
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    const [, script = ""] = /src="(static\/[^"]+\.js)"/.exec(page.text) ?? [];
    expect((await http.get(`${PAGE}/${script}`)).status).toBe(200);
  });

  const keys: Record<string, () => Promise<string | null>> = {
    "no key": async () => null,
    "a key without operations:read": () => keyWith("services:read"),
    "another organization's key for everything": async () => tenant.apiKey,
  };
  it.each([
    ["no key", 401, "missing_credentials"],
    ["a key without operations:read", 403, "permission_denied"],
    ["another organization's key for everything", 403, "permission_denied"],
  ])("is refused to %s, its files too, in the api's form", async (name, status, code) => {
    const key = (await keys[name]?.()) ?? null;
    for (const path of [`${PAGE}/`, QUEUES, `${PAGE}/static/favicon.ico`]) {
      const answer = await createHttpClient(api.baseUrl).get(path, { key });
      expect(answer.status).toBe(status);
      expect(answer.body).toMatchObject({ error: { code } });
    }
  });

  it("changes nothing, whatever is asked for", async () => {
    for (const path of ["scan-persistence/pause", "scan-persistence/obliterate", "pause", "resume"]) {
      const http = as(operator.apiKey);
      for (const method of ["PUT", "POST"]) {
        const { status } = await http.request(method, `${PAGE}/api/queues/${path}`, { body: {} });
        expect([403, 404, 405]).toContain(status);
      }
    }
    const { queues } = (await as(operator.apiKey).get<{ queues: { isPaused: boolean }[] }>(QUEUES)).body;
    expect(queues.map(({ isPaused }) => isPaused)).toEqual([false, false]);
  });

  it("does not exist where no organization is the operator's", async () => {
    await using other = await startApi({ databaseUrl: database.databaseUrl, redisUrl: redis.url });
    const { status } = await createHttpClient(other.baseUrl, { key: operator.apiKey }).get(`${PAGE}/`);
    expect(status).toBe(404);
  });
});
