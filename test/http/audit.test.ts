import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Created, errorOf, makeKey } from "@waymark/test-support/api-keys.ts";
import { withAnotherSecret } from "@waymark/test-support/guessed-key.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
let firstKeyId: string;
beforeAll(async () => {
  stack = await startStack();
  firstKeyId = (await stack.http.get<{ id: string }>("/api/api-keys/self")).body.id;
});
afterAll(() => stack[Symbol.asyncDispose]());

interface Page {
  auditEvents: AuditEvent[];
  nextCursor?: string;
}
const events = async (queryString = "") =>
  (await stack.http.get<Page>(`/api/audit-events?limit=200${queryString}`)).body.auditEvents;
const deniedRows = () => query(stack, "SELECT FROM audit_events WHERE action = 'api_key.use_denied'");

describe("GET /api/audit-events", () => {
  it("shows who created, rotated and revoked which key, from where and in which request, newest first", async () => {
    const created = await stack.http.post<Created>("/api/api-keys", {
      name: "ci",
      ownerPrincipalType: "user",
      scopes: ["services:read"],
    });
    const id = created.body.id;
    const rotated = await stack.http.post<Created>(`/api/api-keys/${id}/rotate`, { graceSeconds: 5 });
    const revoked = await stack.http.post(`/api/api-keys/${id}/revoke`);
    await stack.http.post(`/api/api-keys/${id}/revoke`);

    const common = {
      id: expect.any(String),
      actorKeyId: firstKeyId,
      actor: null,
      apiKeyId: id,
      route: null,
      code: null,
      address: "127.0.0.1",
      createdAt: expect.any(String),
    };
    expect(await events(`&apiKeyId=${id}`)).toEqual([
      { ...common, action: "api_key.revoked", details: {}, requestId: revoked.headers.get("x-request-id") },
      {
        ...common,
        action: "api_key.rotated",
        details: { successorId: rotated.body.id, graceSeconds: 5 },
        requestId: rotated.headers.get("x-request-id"),
      },
      {
        ...common,
        action: "api_key.created",
        details: { name: "ci", permissions: ["services:read"] },
        requestId: created.headers.get("x-request-id"),
      },
    ]);
  });

  it("shows the actions of one key", async () => {
    const maker = await makeKey(stack, { scopes: ["api-keys:create"] });
    const child = await makeKey(stack, { scopes: ["api-keys:create"] }, { key: maker.rawKey });
    await stack.http.get("/api/services", { key: maker.rawKey });
    const did = (await events(`&actorKeyId=${maker.id}`)).map(({ action, apiKeyId }) => [action, apiKeyId]);
    expect(did).toEqual([
      ["api_key.use_denied", maker.id],
      ["api_key.created", child.id],
    ]);
  });

  it("shows that the operator created the first key", async () => {
    expect((await events("&action=api_key.created")).at(-1)).toMatchObject({
      apiKeyId: firstKeyId,
      actorKeyId: null,
      address: null,
      requestId: null,
    });
  });

  it("pages, filters by action, and refuses what it does not know", async () => {
    for (let i = 0; i < 3; i++) await makeKey(stack, {});
    const first = (await stack.http.get<Page>("/api/audit-events?limit=2&action=api_key.created")).body;
    const second = (
      await stack.http.get<Page>(
        `/api/audit-events?limit=2&action=api_key.created&cursor=${first.nextCursor}`,
      )
    ).body;
    const ids = [...first.auditEvents, ...second.auditEvents].map((event) => event.id);
    expect(ids).toEqual((await events("&action=api_key.created")).slice(0, 4).map((event) => event.id));
    for (const wrong of ["action=key.made", "apiKeyId=x", "cursor=x", "limit=201", "since=yesterday"]) {
      expect((await stack.http.get(`/api/audit-events?${wrong}`)).status).toBe(400);
    }
  });

  it("shows nothing of another organization, and to a key with a constraint only the events of that key", async () => {
    const strangers = await createHostedOrganization(stack.databaseUrl, "Strangers");
    const theirs = (await stack.http.get<Page>("/api/audit-events", { key: strangers.apiKey })).body;
    expect(theirs.auditEvents.map((event) => event.action)).toEqual([
      "api_key.created",
      "organization.created",
    ]);

    const { id } = await makeKey(stack, {});
    const key = await createKey(stack, [
      { permission: "audit:read", resourceType: "api_key", resourceId: id },
    ]);
    expect((await stack.http.get(`/api/audit-events?apiKeyId=${id}`, { key })).status).toBe(200);
    expect((await stack.http.get(`/api/audit-events?apiKeyId=${firstKeyId}`, { key })).status).toBe(403);
    expect((await stack.http.get("/api/audit-events", { key })).status).toBe(403);
  });
});

describe("a denied use", () => {
  it("is recorded with key, route, code, address and request before the response is sent", async () => {
    const { id, rawKey } = await makeKey(stack, { scopes: ["services:read"] });
    const denied = await stack.http.get(
      `/api/api-keys/${firstKeyId}?organizationId=${stack.organizationId}`,
      { key: rawKey },
    );
    expect(denied.status).toBe(403);
    expect((await events(`&apiKeyId=${id}`))[0]).toEqual({
      id: expect.any(String),
      action: "api_key.use_denied",
      actorKeyId: id,
      actor: null,
      apiKeyId: id,
      route: "GET /api/api-keys/:apiKeyId",
      code: "permission_denied",
      details: { message: "This API key lacks the permission api-keys:read." },
      address: "127.0.0.1",
      requestId: denied.headers.get("x-request-id"),
      createdAt: expect.any(String),
    });
  });

  it.each([
    ["a revoked key", { revoked: true }, "api_key_revoked"],
    ["an expired key", { expiresAt: new Date(Date.now() - 1000) }, "api_key_expired"],
  ])("of %s is recorded", async (_name, options, code) => {
    const key = await createKey(stack, ["*"], options);
    await stack.http.get("/api/services", { key });
    const [row] = await query<{ code: string }>(
      stack,
      "SELECT e.code FROM audit_events e JOIN api_keys k ON k.id = e.api_key_id WHERE k.prefix = $1",
      [key.slice(0, 16)],
    );
    expect(row?.code).toBe(code);
  });

  it("leaves no row if the secret does not match, so that nobody can fill the disk without a key", async () => {
    const before = (await deniedRows()).length;
    for (const key of ["junk", withAnotherSecret(stack.apiKey), null]) {
      for (let i = 0; i < 20; i++)
        expect((await stack.http.get(`/api/services/${i}`, { key })).status).toBe(401);
    }
    expect(await deniedRows()).toHaveLength(before);
  });

  it("is one row per key, route, code and minute, whatever else differs", async () => {
    const { id, rawKey } = await makeKey(stack, { scopes: ["audit:read"] });
    for (let i = 0; i < 30; i++) {
      const unknown = `${i}`.padStart(8, "0");
      await stack.http.get(`/api/services/${unknown}-1111-1111-1111-111111111111`, { key: rawKey });
      await stack.http.post("/api/scans/ingest", "not even read", { key: rawKey });
    }
    const rows = await query<{ route: string; minutes: string; rows: string }>(
      stack,
      `SELECT route, count(DISTINCT date_trunc('minute', created_at)) AS minutes, count(*) AS rows
       FROM audit_events WHERE api_key_id = $1 AND action = 'api_key.use_denied' GROUP BY route ORDER BY route`,
      [id],
    );
    expect(rows.map((row) => row.route)).toEqual(["GET /api/services/:serviceId", "POST /api/scans/ingest"]);
    for (const row of rows) expect(row.rows).toBe(row.minutes);
  });

  it("is one row although another process has recorded it", async () => {
    const { id, rawKey } = await makeKey(stack, {});
    await query(
      stack,
      `INSERT INTO audit_events (organization_id, id, action, api_key_id, route, code)
       SELECT $1, gen_random_uuid(), 'api_key.use_denied', $2, 'GET /api/audit-events', 'permission_denied'`,
      [stack.organizationId, id],
    );
    expect(errorOf(await stack.http.get("/api/audit-events", { key: rawKey })).status).toBe(403);
    const rows = await query<{ minute: Date }>(
      stack,
      "SELECT date_trunc('minute', created_at) AS minute FROM audit_events WHERE api_key_id = $1 AND action = 'api_key.use_denied'",
      [id],
    );
    expect(new Set(rows.map((row) => row.minute.getTime())).size).toBe(rows.length);
  });
});
