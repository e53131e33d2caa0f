import { randomUUID } from "node:crypto";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import { API_KEY_LIMITS, type ApiKey, type KeyRevocation } from "@waymark/shared/api-keys/schema.ts";
import { type Created, errorOf } from "@waymark/test-support/api-keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

async function create(name: string, scopes: unknown[] = ["services:read"], key?: string): Promise<Created> {
  const request = { name, ownerPrincipalType: "service_account", scopes };
  const answer = await stack.http.post<Created>("/api/api-keys", request, { key: key ?? stack.apiKey });
  expect(answer.status).toBe(201);
  return answer.body;
}

interface Page {
  apiKeys: ApiKey[];
  nextCursor?: string;
}
const list = async (filter: Record<string, string>) => {
  const fields = new URLSearchParams({ organizationId: stack.organizationId, ...filter });
  return (await stack.http.get<Page>(`/api/api-keys?${String(fields)}`)).body;
};
const namesOf = ({ apiKeys }: Page) => apiKeys.map(({ name }) => name);

interface Revoked {
  results: KeyRevocation[];
  nextCursor?: string;
}
const revoke = (body: object, key?: string) =>
  stack.http.post<Revoked>("/api/api-key-revocations", body, { key: key ?? stack.apiKey });
const outcomesOf = ({ results }: Revoked) => results.map(({ apiKeyId, outcome }) => [apiKeyId, outcome]);
const use = async (key: string) => (await stack.http.get("/api/limits", { key })).status;

describe("the list of keys", () => {
  it("is filtered by name, status and creator, also page by page", async () => {
    const parent = await create("filter parent", ["services:read", "api-keys:create"]);
    const [ended, expired, child] = [
      await create("Filter ended"),
      await create("filter expired"),
      await create("filter child", ["services:read"], parent.rawKey),
    ];
    await stack.http.post(`/api/api-keys/${ended.id}/revoke`);
    await query(stack, "UPDATE api_keys SET expires_at = now() WHERE id = $1", [expired.id]);
    expect(namesOf(await list({ name: "filter child" }))).toEqual(["filter child"]);
    expect(namesOf(await list({ name: "filter" }))).toEqual([]);
    expect(namesOf(await list({ q: "FILTER" }))).toHaveLength(4);
    await create("Schlüssel für Österreich");
    expect(namesOf(await list({ q: "SCHLÜSSEL FÜR O\u0308" }))).toHaveLength(1);
    // Not a pattern.
    expect(namesOf(await list({ q: "%" }))).toEqual([]);
    expect(namesOf(await list({ q: "filter", status: "revoked" }))).toEqual(["Filter ended"]);
    expect(namesOf(await list({ q: "filter", status: "expired" }))).toEqual(["filter expired"]);
    expect(namesOf(await list({ q: "filter", status: "active" }))).toEqual(["filter child", "filter parent"]);
    expect(namesOf(await list({ createdBy: parent.id }))).toEqual(["filter child"]);
    const operators = (await list({ createdBy: "operator" })).apiKeys;
    expect(new Set(operators.map(({ createdBy }) => createdBy))).toEqual(new Set([null]));
    expect(child.createdBy).toBe(parent.id);
    const first = await list({ q: "filter", status: "active", limit: "1" });
    const second = await list({
      q: "filter",
      status: "active",
      limit: "1",
      cursor: first.nextCursor ?? "",
    });
    expect([namesOf(first), namesOf(second), second.nextCursor]).toEqual([
      ["filter child"],
      ["filter parent"],
      undefined,
    ]);
  });

  it.each(["status=disabled", "createdBy=me", "name=", "q=", `name=${"x".repeat(121)}`, "creator=x"])(
    "refuses ?%s",
    async (text) => {
      const answer = await stack.http.get(`/api/api-keys?organizationId=${stack.organizationId}&${text}`);
      expect(answer.status).toBe(400);
    },
  );
});

describe("revoking several keys", () => {
  it("tells what happened to each key, and records each", async () => {
    const [first, second, ended] = [await create("one"), await create("two"), await create("three")];
    await stack.http.post(`/api/api-keys/${ended.id}/revoke`);
    const unknown = randomUUID();
    const ids = [first.id, second.id.toUpperCase(), second.id, ended.id, unknown];
    const { status, body } = await revoke({ apiKeyIds: ids });
    expect(status).toBe(200);
    expect(outcomesOf(body)).toEqual([
      [first.id, "revoked"],
      [second.id, "revoked"],
      [ended.id, "already_revoked"],
      [unknown, "not_found"],
    ]);
    expect(await use(first.rawKey)).toBe(401);
    for (const { id } of [first, second]) {
      const { body: page } = await stack.http.get<{ auditEvents: AuditEvent[] }>(
        `/api/audit-events?apiKeyId=${id}`,
      );
      const events = page.auditEvents.filter(({ action }) => action === "api_key.revoked");
      expect(events).toMatchObject([{ details: { together: 2 } }]);
    }
    // A repetition does nothing more.
    expect(outcomesOf((await revoke({ apiKeyIds: [first.id] })).body)).toEqual([
      [first.id, "already_revoked"],
    ]);
  });

  it("revokes the calling key only if the request says so", async () => {
    const [caller, other] = [await create("caller", ["services:read", "api-keys:revoke"]), await create("o")];
    const apiKeyIds = [caller.id, other.id];
    expect(outcomesOf((await revoke({ apiKeyIds }, caller.rawKey)).body)).toEqual([
      [caller.id, "own_key"],
      [other.id, "revoked"],
    ]);
    expect(await use(caller.rawKey)).toBe(200);
    const own = await revoke({ apiKeyIds, includeSelf: true }, caller.rawKey);
    expect(outcomesOf(own.body)[0]).toEqual([caller.id, "revoked"]);
    expect(await use(caller.rawKey)).toBe(401);
  });

  it("refuses keys with more permissions than the caller, and revokes the others", async () => {
    const caller = await create("narrow", ["services:read", "api-keys:revoke"]);
    const [wider, equal] = [await create("wider", ["audit:read"]), await create("equal")];
    const { body } = await revoke({ apiKeyIds: [wider.id, equal.id] }, caller.rawKey);
    expect(body.results).toMatchObject([
      { apiKeyId: wider.id, outcome: "refused", error: { code: "permission_denied" } },
      { apiKeyId: equal.id, outcome: "revoked" },
    ]);
    expect(await use(wider.rawKey)).toBe(200);
  });

  it("tells a key limited to one key nothing about others", async () => {
    const own = await create("own");
    const limited = await create("limited", [
      "services:read",
      { permission: "api-keys:revoke", resourceType: "api_key", resourceId: own.id },
    ]);
    const foreign = await create("foreign");
    const { body } = await revoke({ apiKeyIds: [own.id, foreign.id, randomUUID()] }, limited.rawKey);
    const [, second, third] = body.results;
    expect(body.results.map(({ outcome }) => outcome)).toEqual(["revoked", "refused", "refused"]);
    expect(second?.error).toEqual(third?.error);
    expect(errorOf(await revoke({ apiKeyIds: [foreign.id] }, limited.rawKey))).toMatchObject({ status: 403 });
    expect(errorOf(await revoke({ filter: { q: "o" } }, limited.rawKey))).toMatchObject({ status: 403 });
  });

  it("keeps full access: of several keys with *, as many as are needed stay", async () => {
    const { organizationId, apiKey } = await createHostedOrganization(stack.databaseUrl, "Full access");
    const names = ["full 1", "full 2"];
    for (const name of names) await create(name, ["*"], apiKey);
    const fields = new URLSearchParams({ organizationId });
    const all = (await stack.http.get<Page>(`/api/api-keys?${String(fields)}`, { key: apiKey })).body.apiKeys;
    expect(all).toHaveLength(3);
    const apiKeyIds = all.map(({ id }) => id);
    const { body } = await revoke({ apiKeyIds, includeSelf: true }, apiKey);
    expect(body.results.map(({ outcome }) => outcome)).toEqual(["revoked", "revoked", "refused"]);
    expect(body.results[2]).toMatchObject({ error: { code: "last_full_access_key" } });
  });

  it("takes a filter, and goes on by cursor", async () => {
    const creator = await create("bulk creator", ["services:read", "api-keys:create"]);
    const total = API_KEY_LIMITS.revokedTogetherMax + 1;
    await query(
      stack,
      `INSERT INTO api_keys (organization_id, id, name, prefix, secret_hash, created_by, scopes)
       SELECT $1, gen_random_uuid(), 'bulk ' || n, 'wmk_bulk' || n, sha256(n::text::bytea), $2, '[{"permission": "services:read"}]'
       FROM generate_series(1, $3::int) n`,
      [stack.organizationId, creator.id, total],
    );
    const filter = { createdBy: creator.id };
    const first = await revoke({ filter });
    expect(first.body.results).toHaveLength(API_KEY_LIMITS.revokedTogetherMax);
    expect(new Set(first.body.results.map(({ outcome }) => outcome))).toEqual(new Set(["revoked"]));
    const second = await revoke({ filter, cursor: first.body.nextCursor });
    expect(outcomesOf(second.body)).toMatchObject([[expect.any(String), "revoked"]]);
    expect(second.body.nextCursor).toBeUndefined();
    expect((await revoke({ filter })).body).toEqual({ results: [] });
    const { body: page } = await stack.http.get<{ auditEvents: AuditEvent[] }>(
      "/api/audit-events?action=api_key.revoked&limit=1",
    );
    expect(page.auditEvents.map(({ details }) => details)).toEqual([{ together: 1, filter }]);
    expect(await use(creator.rawKey)).toBe(200);
  });

  it.each<[object, string]>([
    [{}, "must have either"],
    [{ apiKeyIds: [] }, "apiKeyIds"],
    [{ filter: {} }, "filter"],
    [{ filter: { status: "revoked" } }, "filter.status"],
    [{ filter: { names: ["a"] } }, "filter"],
    [{ filter: { q: "a" }, apiKeyIds: [randomUUID()] }, "must have either"],
    [{ apiKeyIds: ["x"] }, "apiKeyIds[0]"],
    [{ apiKeyIds: Array.from({ length: 201 }, () => randomUUID()) }, "apiKeyIds"],
    [{ filter: { q: "a" }, cursor: "x" }, "cursor"],
    [{ apiKeyIds: [randomUUID()], cursor: "x" }, "cursor"],
  ])("refuses %j with the place of the error", async (body, place) => {
    const error = errorOf(await revoke(body));
    expect(error).toMatchObject({ status: 400, code: "validation_failed" });
    expect(error.message).toContain(place);
  });
});
