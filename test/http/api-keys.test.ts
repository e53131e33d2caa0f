import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf, makeKey, requestKey } from "@waymark/test-support/api-keys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

const ANY_ID = "11111111-1111-1111-1111-111111111111";
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);

let stack: Stack;
let strangers: { organizationId: string; apiKey: string };
beforeAll(async () => {
  stack = await startStack();
  strangers = await createOrganization(stack.databaseUrl, "Strangers");
});
afterAll(() => stack[Symbol.asyncDispose]());

const inOrganization = () => `organizationId=${stack.organizationId}`;

describe("POST /api/api-keys", () => {
  it("answers 201 with every field of CreatedApiKeyResult, and forbids to cache it", async () => {
    const scopes = ["scans:create", { permission: "services:read", serviceId: ANY_ID, id: "ignored" }];
    const answer = await requestKey(stack, {
      name: "CI of the payments team",
      ownerPrincipalType: "user",
      ownerPrincipalId: ANY_ID,
      scopes,
      expiresAt: "2999-01-01T01:00:00+01:00",
      organizationId: stack.organizationId,
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("location")).toBe(`/api/api-keys/${answer.body.id}`);
    const [first] = await query<{ id: string }>(
      stack,
      "SELECT id FROM api_keys WHERE organization_id = $1 AND created_by IS NULL",
      [stack.organizationId],
    );
    expect(answer.body).toEqual({
      id: uuid,
      name: "CI of the payments team",
      prefix: answer.body.rawKey.slice(0, 16),
      ownerPrincipalType: "user",
      ownerPrincipalId: ANY_ID,
      ownerDisplayName: null,
      createdBy: first?.id,
      scopes: [{ permission: "scans:create" }, { permission: "services:read", serviceId: ANY_ID }],
      expiresAt: "2999-01-01T00:00:00.000Z",
      lastUsedAt: null,
      revokedAt: null,
      disabledAt: null,
      allowedNetworks: null,
      status: "active",
      createdAt: isoTime,
      rawKey: expect.stringMatching(/^wmk_[0-9A-Za-z]{12}_[0-9A-Za-z]{39}$/),
      warning: expect.stringContaining("Store this key now"),
    });
    expect((await stack.http.get("/api/limits", { key: answer.body.rawKey })).status).toBe(200);
  });

  it("stores the hash of the secret and neither the key nor the secret", async () => {
    const { rawKey, id } = await makeKey(stack, {});
    const [row] = await query<{ text: string }>(
      stack,
      "SELECT k::text AS text FROM api_keys k WHERE id = $1",
      [id],
    );
    expect(row?.text).toContain(rawKey.slice(0, 16));
    expect(row?.text).not.toContain(rawKey.slice(17));
    expect(row?.text).not.toContain(rawKey.slice(17, 50));
  });

  it("takes what is at its limits", async () => {
    const scope = {
      permission: "some.thing-new_1:do*",
      resourceType: "😀".repeat(80),
      resourceId: ANY_ID,
      serviceId: ANY_ID.replaceAll("1", "f").toUpperCase(),
      environmentId: null,
      workflowId: ANY_ID,
      resourceConstraints: { serviceNames: ["payments-*"], anything: { deep: [1, "two", null] } },
    };
    const created = await makeKey(stack, {
      name: "é".repeat(120),
      scopes: [scope],
      ownerPrincipalId: null,
      expiresAt: null,
    });
    const { environmentId: _null, ...stored } = scope;
    expect(created).toMatchObject({ name: "é".repeat(120), scopes: [stored] });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["no name", { name: undefined }, "name"],
    ["an empty name", { name: "" }, "name"],
    ["a name of 121 characters", { name: "é".repeat(121) }, "name"],
    ["a name with NUL", { name: "a\0" }, "name"],
    ["a name that is a number", { name: 1 }, "name"],
    ["a name with an escape sequence", { name: "a\u001b[31mb" }, "name"],
    ["a name with a line break", { name: "a\nb" }, "name"],
    ["a name with DEL", { name: "a\u007f" }, "name"],
    ["a name with C1", { name: "a\u009b31m" }, "name"],
    ["a name with a line separator", { name: "a\u2028b" }, "name"],
    ["a name that reverses the reading order", { name: "a\u202eb" }, "name"],
    ["a name with an isolate", { name: "a\u2066b" }, "name"],
    ["no owner type", { ownerPrincipalType: undefined }, "ownerPrincipalType"],
    ["an owner type of null", { ownerPrincipalType: null }, "ownerPrincipalType"],
    ["another owner type", { ownerPrincipalType: "robot" }, "ownerPrincipalType"],
    ["an owner id that is none", { ownerPrincipalId: "me" }, "ownerPrincipalId"],
    ["no scopes", { scopes: undefined }, "scopes"],
    ["an empty list of scopes", { scopes: [] }, "scopes"],
    ["scopes that are no list", { scopes: "services:read" }, "scopes"],
    ["an empty permission", { scopes: [""] }, "scopes[0]"],
    ["a permission that is one word", { scopes: ["services"] }, "scopes[0]"],
    ["a permission with a blank", { scopes: ["services: read"] }, "scopes[0]"],
    ["a scope without permission", { scopes: [{ serviceId: ANY_ID }] }, "scopes[0]"],
    ["a scope of null", { scopes: [null] }, "scopes[0]"],
    ["an unknown field in a scope", { scopes: [{ permission: "a:b", service: "x" }] }, "scopes[0]"],
    [
      "a resourceType of 81 characters",
      { scopes: [{ permission: "a:b", resourceType: "x".repeat(81) }] },
      "scopes[0]",
    ],
    ["a serviceId that is none", { scopes: [{ permission: "a:b", serviceId: "payments" }] }, "scopes[0]"],
    [
      "resourceConstraints of null",
      { scopes: [{ permission: "a:b", resourceConstraints: null }] },
      "scopes[0]",
    ],
    [
      "NUL in resourceConstraints",
      { scopes: [{ permission: "a:b", resourceConstraints: { x: ["\0"] } }] },
      "scopes[0]",
    ],
    ["an expiry in the past", { expiresAt: "2020-01-01T00:00:00Z" }, "expiresAt"],
    ["an expiry without a time", { expiresAt: "2999-01-01" }, "expiresAt"],
    ["an expiry after the year 9999", { expiresAt: "9999-12-31T23:59:59-23:59" }, "expiresAt"],
    ["an organization id that is none", { organizationId: "acme" }, "organizationId"],
    ["an unknown field", { owner: "me" }, ""],
    ["an API key in its name", { name: `wmk_abcdefghijkl_${"a".repeat(39)}` }, "name"],
    [
      "scopes of more than 256 KiB",
      { scopes: Array(6000).fill({ permission: "a:b", serviceId: ANY_ID }) },
      "scopes",
    ],
  ])("answers 400 to %s, with its place", async (_name, wrong, path) => {
    const error = errorOf(await requestKey(stack, wrong));
    expect(error).toMatchObject({ status: 400, code: "validation_failed" });
    expect(error.details?.[0]?.path.startsWith(path)).toBe(true);
    expect(error.details?.[0]?.path === "").toBe(path === "");
  });

  it("refuses a constraint named __proto__, which a parser would drop and so widen the scope", async () => {
    const body = `{"name":"x","ownerPrincipalType":"user","scopes":[{"permission":"services:read","resourceConstraints":{"__proto__":{}}}]}`;
    expect(errorOf(await stack.http.post("/api/api-keys", body))).toMatchObject({ status: 400 });
  });

  it.each([
    ["no body", undefined],
    ["an empty body", ""],
    ["an array", []],
    ["null", "null"],
  ])("answers 400 to %s", async (_name, body) => {
    expect((await stack.http.post("/api/api-keys", body)).status).toBe(400);
  });

  it("survives constraints that are nested 50,000 deep", async () => {
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const body = `{"name":"x","ownerPrincipalType":"user","scopes":[{"permission":"a:b","resourceConstraints":{"x":${deep}}}]}`;
    expect((await stack.http.post("/api/api-keys", body)).status).toBe(400);
  });

  it("answers 403 to another organization's id, and creates nothing there", async () => {
    const answer = await requestKey(stack, { organizationId: strangers.organizationId });
    expect(errorOf(answer)).toMatchObject({ status: 403, code: "organization_mismatch" });
    const rows = await query(stack, "SELECT FROM api_keys WHERE organization_id = $1", [
      strangers.organizationId,
    ]);
    expect(rows).toHaveLength(1);
  });
});

describe("no escalation over HTTP", () => {
  it.each<[string, unknown[], string]>([
    ["a permission that the key lacks", ["services:read", "audit:read"], "scopes[1] (audit:read)"],
    ["everything", ["*"], "scopes[0] (*)"],
    ["a permission that grants nothing yet", ["future:thing"], "scopes[0] (future:thing)"],
    ["a bound scope without its bound", ["scans:create"], "scopes[0] (scans:create)"],
    [
      "a bound scope with another bound",
      [{ permission: "scans:create", serviceId: ANY_ID.replaceAll("1", "2") }],
      "scopes[0]",
    ],
  ])("answers 403 to %s, and names it", async (_name, scopes, named) => {
    const own = ["api-keys:create", "services:read", { permission: "scans:create", serviceId: ANY_ID }];
    const key = await createKey(stack, own);
    const error = errorOf(await requestKey(stack, { scopes }, { key }));
    expect(error).toMatchObject({
      status: 403,
      code: "permission_denied",
      message: expect.stringContaining(named),
    });
    expect((await requestKey(stack, { scopes: own.slice(1) }, { key })).status).toBe(201);
  });

  it("answers 403 to a later or a missing expiry than the key's own", async () => {
    const key = await createKey(stack, ["*"], { expiresAt: new Date("2990-01-01T00:00:00Z") });
    for (const expiresAt of [undefined, null, "2990-01-01T00:00:00.001Z"]) {
      const error = errorOf(await requestKey(stack, { expiresAt }, { key }));
      expect(error).toMatchObject({
        status: 403,
        message: expect.stringContaining("2990-01-01T00:00:00.000Z"),
      });
    }
    expect((await requestKey(stack, { expiresAt: "2990-01-01T00:00:00Z" }, { key })).status).toBe(201);
  });

  it("a key bound to a service creates no key, for it can't show the service", async () => {
    const key = await createKey(stack, [{ permission: "api-keys:create", serviceId: ANY_ID }]);
    const error = errorOf(await requestKey(stack, {}, { key }));
    expect(error).toMatchObject({
      status: 403,
      message: expect.stringMatching(/api-keys:create.*serviceId/),
    });
  });
});

describe("GET /api/api-keys", () => {
  it("lists metadata newest first, page by page, and never a raw key", async () => {
    const { organizationId, apiKey } = await createOrganization(stack.databaseUrl, "Many keys");
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
    // The organization's first key is the fifth, and nobody else's are there.
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

  it("takes the organization's id in capitals too", async () => {
    const upper = stack.organizationId.toUpperCase();
    expect((await stack.http.get(`/api/api-keys?organizationId=${upper}`)).status).toBe(200);
  });
});

describe("GET /api/api-keys/{apiKeyId}", () => {
  it("answers the key's metadata", async () => {
    const { rawKey: _raw, warning: _warning, ...metadata } = await makeKey(stack, { name: "read me" });
    const answer = await stack.http.get(`/api/api-keys/${metadata.id}?${inOrganization()}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(metadata);
  });

  it("answers 400 without organizationId and 403 for another organization's", async () => {
    const { id } = await makeKey(stack, {});
    expect((await stack.http.get(`/api/api-keys/${id}`)).status).toBe(400);
    expect(
      (await stack.http.get(`/api/api-keys/${id}?organizationId=${strangers.organizationId}`)).status,
    ).toBe(403);
  });

  it("answers 404 to an id that is malformed, unknown or another organization's", async () => {
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
  ])("with %s answers the revoked key, whose next request is refused", async (_name, body) => {
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

  it("answers the same the second time, and keeps the time", async () => {
    const { id } = await makeKey(stack, {});
    const [first, second] = [
      await stack.http.post(`/api/api-keys/${id}/revoke`),
      await stack.http.post(`/api/api-keys/${id}/revoke`),
    ];
    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
  });

  it("answers 404 to an id that is malformed, unknown or another organization's, which stays active", async () => {
    const [other] = await query<{ id: string }>(stack, "SELECT id FROM api_keys WHERE organization_id = $1", [
      strangers.organizationId,
    ]);
    for (const id of ["nonsense", ANY_ID, other?.id]) {
      expect((await stack.http.post(`/api/api-keys/${id}/revoke`, {})).status).toBe(404);
    }
    expect((await stack.http.get("/api/limits", { key: strangers.apiKey })).status).toBe(200);
  });

  it("answers 400 to an unknown field or a wrong id, and 403 to another organization's", async () => {
    const { id } = await makeKey(stack, {});
    const path = `/api/api-keys/${id}/revoke`;
    expect((await stack.http.post(path, { reason: "leaked" })).status).toBe(400);
    expect((await stack.http.post(path, { organizationId: 1 })).status).toBe(400);
    expect((await stack.http.post(path, [])).status).toBe(400);
    expect((await stack.http.post(path, { organizationId: strangers.organizationId })).status).toBe(403);
  });
});

describe("a key's own affairs", () => {
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

  it("every key can kill itself, whatever its scopes", async () => {
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
      apiKeys: expect.objectContaining({ nameMax: 120, resourceTypeMax: 80, networksMax: 50 }),
      apiKeyPolicy: { lifetimeDaysMax: null },
      organization: { requestsPerMinute: null, scansPerDay: null, bytesPerDay: null },
      pages: { limitDefault: 50, limitMax: 200 },
      rateLimits: { keyPerMinute: 12_000, ingestPerMinute: null, failedAuthenticationsPerMinute: 600 },
    });
  });
});
