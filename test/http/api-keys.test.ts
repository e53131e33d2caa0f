import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf, makeKey } from "@waymark/test-support/api-keys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

const ANY_ID = "11111111-1111-1111-1111-111111111111";
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let stack: Stack;
let strangers: { organizationId: string; apiKey: string };
beforeAll(async () => {
  stack = await startStack();
  strangers = await createHostedOrganization(stack.databaseUrl, "Strangers");
});
afterAll(() => stack[Symbol.asyncDispose]());

const inOrganization = () => `organizationId=${stack.organizationId}`;

describe("GET /api/api-keys", () => {
  it("lists metadata newest first, page by page, and never a raw key", async () => {
    const { organizationId, apiKey } = await createHostedOrganization(stack.databaseUrl, "Many keys");
    const made: string[] = [];
    for (const name of ["one", "two", "three", "four"]) {
      made.unshift((await makeKey(stack, { name }, { key: apiKey })).id);
    }
    const seen: string[] = [];
    let cursor = "";
    do {
      const path = `/api/api-keys?organizationId=${organizationId}&limit=2${cursor}`;
      const page = await stack.http.get<{ apiKeys: ApiKey[]; nextCursor?: string }>(path, { key: apiKey });
      expect(page.status).toBe(200);
      expect(page.text).not.toMatch(/rawKey|secret|hash/i);
      expect(page.body.apiKeys.length).toBeLessThanOrEqual(2);
      seen.push(...page.body.apiKeys.map((key) => key.id));
      cursor = page.body.nextCursor === undefined ? "" : `&cursor=${page.body.nextCursor}`;
    } while (cursor !== "");
    expect(seen.slice(0, 4)).toEqual(made);
    // The organization's first key is the fifth; keys of others are not in the list.
    expect(seen).toHaveLength(5);
  });

  it.each([
    ["no organizationId", () => "", 400],
    ["an organizationId that is none", () => "?organizationId=acme", 400],
    ["another organization's", () => `?organizationId=${strangers.organizationId}`, 403],
    ["a limit of 0", () => `?${inOrganization()}&limit=0`, 400],
    ["a limit of 201", () => `?${inOrganization()}&limit=201`, 400],
    ["a cursor of nobody", () => `?${inOrganization()}&cursor=x`, 400],
    ["an unknown parameter", () => `?${inOrganization()}&x=1`, 400],
  ])("answers %s with an error", async (_name, queryString, status) => {
    expect((await stack.http.get(`/api/api-keys${queryString()}`)).status).toBe(status);
  });

  it("accepts the organization's id in capitals too", async () => {
    const upper = stack.organizationId.toUpperCase();
    expect((await stack.http.get(`/api/api-keys?organizationId=${upper}`)).status).toBe(200);
  });
});

describe("GET /api/api-keys/{apiKeyId}", () => {
  it("returns the key's metadata", async () => {
    const { rawKey: _raw, warning: _warning, ...metadata } = await makeKey(stack, { name: "read me" });
    const answer = await stack.http.get(`/api/api-keys/${metadata.id}?${inOrganization()}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(metadata);
  });

  it("responds with 400 without organizationId and 403 for another organization's", async () => {
    const { id } = await makeKey(stack, {});
    expect((await stack.http.get(`/api/api-keys/${id}`)).status).toBe(400);
    expect(
      (await stack.http.get(`/api/api-keys/${id}?organizationId=${strangers.organizationId}`)).status,
    ).toBe(403);
  });

  it("responds with 404 to an id that is malformed, unknown or another organization's", async () => {
    const [other] = await query<{ id: string }>(stack, "SELECT id FROM api_keys WHERE organization_id = $1", [
      strangers.organizationId,
    ]);
    for (const id of ["nonsense", ANY_ID, other?.id, "%00"]) {
      const answer = await stack.http.get(`/api/api-keys/${id}?${inOrganization()}`);
      expect(errorOf(answer)).toMatchObject({ status: 404, code: "not_found" });
    }
  });

  it("lets a key read the one key that its scope names", async () => {
    const [one, other] = [await makeKey(stack, {}), await makeKey(stack, {})];
    const scope = { permission: "api-keys:read", resourceType: "api_key", resourceId: one.id };
    const key = await createKey(stack, [scope]);
    expect((await stack.http.get(`/api/api-keys/${one.id}?${inOrganization()}`, { key })).status).toBe(200);
    const refused = errorOf(await stack.http.get(`/api/api-keys/${other.id}?${inOrganization()}`, { key }));
    expect(refused).toMatchObject({ status: 403, message: expect.stringContaining("resourceId") });
  });

  it("tells expired keys from active and revoked ones", async () => {
    await createKey(stack, ["a:b"], { expiresAt: new Date(Date.now() - 1000) });
    await createKey(stack, ["a:b"], { expiresAt: new Date(Date.now() - 1000), revoked: true });
    const { body } = await stack.http.get<{ apiKeys: ApiKey[] }>(
      `/api/api-keys?${inOrganization()}&limit=200`,
    );
    const statuses = body.apiKeys.filter((key) => key.name === "test").map((key) => key.status);
    expect(statuses).toEqual(expect.arrayContaining(["expired", "revoked"]));
  });
});

describe("POST /api/api-keys/{apiKeyId}/revoke", () => {
  it.each([
    ["no body", () => undefined],
    ["an empty body", () => ""],
    ["an empty object", () => ({})],
    ["the organization", () => ({ organizationId: stack.organizationId })],
  ])("with %s returns the revoked key, whose next request is refused", async (_name, body) => {
    const { id, rawKey } = await makeKey(stack, {});
    expect((await stack.http.get("/api/limits", { key: rawKey })).status).toBe(200);
    const answer = await stack.http.post<ApiKey>(`/api/api-keys/${id}/revoke`, body());
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, status: "revoked", revokedAt: isoTime });
    expect(errorOf(await stack.http.get("/api/limits", { key: rawKey }))).toMatchObject({
      status: 401,
      code: "api_key_revoked",
    });
  });

  it("returns the same the second time, and keeps the time of the revocation", async () => {
    const { id } = await makeKey(stack, {});
    const [first, second] = [
      await stack.http.post(`/api/api-keys/${id}/revoke`),
      await stack.http.post(`/api/api-keys/${id}/revoke`),
    ];
    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
  });

  it("responds with 404 to an id that is malformed, unknown or another organization's, which stays active", async () => {
    const [other] = await query<{ id: string }>(stack, "SELECT id FROM api_keys WHERE organization_id = $1", [
      strangers.organizationId,
    ]);
    for (const id of ["nonsense", ANY_ID, other?.id]) {
      expect((await stack.http.post(`/api/api-keys/${id}/revoke`, {})).status).toBe(404);
    }
    expect((await stack.http.get("/api/limits", { key: strangers.apiKey })).status).toBe(200);
  });

  it("responds with 400 to an unknown field or a wrong id, and 403 to another organization's", async () => {
    const { id } = await makeKey(stack, {});
    const path = `/api/api-keys/${id}/revoke`;
    expect((await stack.http.post(path, { reason: "leaked" })).status).toBe(400);
    expect((await stack.http.post(path, { organizationId: 1 })).status).toBe(400);
    expect((await stack.http.post(path, [])).status).toBe(400);
    expect((await stack.http.post(path, { organizationId: strangers.organizationId })).status).toBe(403);
  });
});

describe("the routes for the calling key", () => {
  it("every key reads its own metadata, organization and principal", async () => {
    const {
      rawKey,
      warning: _warning,
      ...metadata
    } = await makeKey(stack, { scopes: ["a:b"], ownerPrincipalId: ANY_ID });
    const answer = await stack.http.get<ApiKey>("/api/api-keys/self", { key: rawKey });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...metadata,
      lastUsedAt: answer.body.lastUsedAt,
      organizationId: stack.organizationId,
      principal: { type: "service_account", id: ANY_ID, displayName: null },
    });
  });

  it("every key can revoke itself, whatever its scopes", async () => {
    const { id, rawKey } = await makeKey(stack, { scopes: ["a:b"] });
    const answer = await stack.http.post<ApiKey>("/api/api-keys/self/revoke", undefined, { key: rawKey });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, status: "revoked" });
    expect((await stack.http.post("/api/api-keys/self/revoke", undefined, { key: rawKey })).status).toBe(401);
  });
});

describe("GET /api/limits", () => {
  it("publishes the limits that are enforced", async () => {
    const { body } = await stack.http.get("/api/limits");
    expect(body).toEqual({
      scans: expect.objectContaining({
        endpointsMax: 2000,
        findingsMax: 500,
        serviceNameMax: 120,
        bodyBytesMax: 10_485_760,
      }),
      journeys: expect.objectContaining({ documentsMax: 2000, changesetFilesMax: 200 }),
      journeyRuns: expect.objectContaining({ runningMax: 10, waitingMax: 200, startedPerHourMax: 600 }),
      journeySchedules: expect.objectContaining({ schedulesMax: 100, intervalMinutesMin: 5 }),
      journeyCoverage: expect.objectContaining({ windowDaysMax: 400, endpointsMax: 20_000 }),
      environments: expect.objectContaining({ environmentsMax: 50, secretsMax: 100, secretCharactersMin: 8 }),
      apiKeys: expect.objectContaining({ nameMax: 120, resourceTypeMax: 80, networksMax: 50 }),
      trustPolicies: expect.objectContaining({ policiesMax: 200, lifetimeSecondsMax: 3_600 }),
      principals: expect.objectContaining({ principalsMax: 5_000 }),
      roles: expect.objectContaining({ rolesMax: 100, grantsPerUserMax: 20 }),
      invitations: { daysMax: 7, openMax: 1_000 },
      teams: expect.objectContaining({ teamsMax: 500, membersPerTeamMax: 1_000 }),
      savedViews: expect.objectContaining({ perOwnerMax: 100 }),
      snoozes: expect.objectContaining({ perUserMax: 1_000, daysMax: 90 }),
      scanRunComments: { textMax: 4_000, perRunMax: 500 },
      journeyRunLinks: expect.objectContaining({ hoursMax: 720, perRunMax: 50 }),
      apiKeyPolicy: { lifetimeDaysMax: null },
      storesSecrets: true,
      waits: { keyMax: 100, organizationMax: 300, secondsMax: 20 },
      organization: { requestsPerMinute: null, scansPerDay: null, bytesPerDay: null },
      pages: { limitDefault: 50, limitMax: 200, itemLimitMax: 2000, changeLimitMax: 20 },
      rateLimits: {
        keyPerMinute: 12_000,
        ciKeyPerMinute: 120_000,
        ingestPerMinute: null,
        failedAuthenticationsPerMinute: 600,
      },
    });
  });
});
