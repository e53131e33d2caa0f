import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf, makeKey, requestKey } from "@waymark/test-support/api-keys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

const ANY_ID = "11111111-1111-1111-1111-111111111111";
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

describe("POST /api/api-keys", () => {
  it("responds with 201, every field of CreatedApiKeyResult, and no-store", async () => {
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
      replacedBy: null,
      trustPolicyId: null,
      scopes: [{ permission: "scans:create" }, { permission: "services:read", serviceId: ANY_ID }],
      expiresAt: "2999-01-01T00:00:00.000Z",
      lastUsedAt: null,
      revokedAt: null,
      disabledAt: null,
      allowedNetworks: null,
      status: "active",
      createdAt: isoTime,
      rawKey: expect.stringMatching(/^wmk_[0-9A-Za-z]{12}_[0-9A-Za-z]{39}$/),
      warning: expect.stringContaining("Save this key now"),
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

  it("accepts values at their limits", async () => {
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
  ])("responds with 400 and the position to %s", async (_name, wrong, path) => {
    const error = errorOf(await requestKey(stack, wrong));
    expect(error).toMatchObject({ status: 400, code: "validation_failed" });
    expect(error.details?.[0]?.path.startsWith(path)).toBe(true);
    expect(error.details?.[0]?.path === "").toBe(path === "");
  });

  it("refuses a constraint named __proto__, because a parser would drop it and so widen the scope", async () => {
    const body = `{"name":"x","ownerPrincipalType":"user","scopes":[{"permission":"services:read","resourceConstraints":{"__proto__":{}}}]}`;
    expect(errorOf(await stack.http.post("/api/api-keys", body))).toMatchObject({ status: 400 });
  });

  it.each([
    ["no body", undefined],
    ["an empty body", ""],
    ["an array", []],
    ["null", "null"],
  ])("responds with 400 to %s", async (_name, body) => {
    expect((await stack.http.post("/api/api-keys", body)).status).toBe(400);
  });

  it("handles constraints that are nested 50,000 deep", async () => {
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const body = `{"name":"x","ownerPrincipalType":"user","scopes":[{"permission":"a:b","resourceConstraints":{"x":${deep}}}]}`;
    expect((await stack.http.post("/api/api-keys", body)).status).toBe(400);
  });

  it("responds with 403 to another organization's id, and creates nothing there", async () => {
    const { organizationId } = await createHostedOrganization(stack.databaseUrl, "Strangers");
    const answer = await requestKey(stack, { organizationId });
    expect(errorOf(answer)).toMatchObject({ status: 403, code: "organization_mismatch" });
    const rows = await query(stack, "SELECT FROM api_keys WHERE organization_id = $1", [organizationId]);
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
  ])("responds with 403 to %s, and names it", async (_name, scopes, named) => {
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

  it("responds with 403 to a later or a missing expiry than the key's own", async () => {
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

  it("a key limited to a service creates no key, because its request has no service", async () => {
    const key = await createKey(stack, [{ permission: "api-keys:create", serviceId: ANY_ID }]);
    const error = errorOf(await requestKey(stack, {}, { key }));
    expect(error).toMatchObject({
      status: 403,
      message: expect.stringMatching(/api-keys:create.*serviceId/),
    });
  });
});
