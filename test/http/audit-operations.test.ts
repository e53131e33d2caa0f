import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeKey } from "@waymark/test-support/api-keys.ts";
import { withAnotherSecret } from "@waymark/test-support/guessed-key.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { runNode } from "@waymark/test-support/run-node.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { signIn, signOut } from "@waymark/test-support/sessions.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startApi, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
let firstKeyId: string;
beforeAll(async () => {
  stack = await startStack();
  firstKeyId = (await stack.http.get<{ id: string }>("/api/api-keys/self")).body.id;
});
afterAll(() => stack[Symbol.asyncDispose]());

const events = async (queryString: string, key = stack.apiKey) =>
  (await stack.http.get<{ auditEvents: AuditEvent[] }>(`/api/audit-events?limit=200${queryString}`, { key }))
    .body.auditEvents;

/** The number of rows and of their minutes, because the test may span two minutes. */
async function rowsAndMinutes(action: string, details: Record<string, unknown>) {
  const [row] = await query<{ rows: number; minutes: number }>(
    stack,
    `SELECT count(*)::integer AS rows, count(DISTINCT date_trunc('minute', created_at))::integer AS minutes
     FROM audit_events WHERE action = $1 AND details @> $2`,
    [action, details],
  );
  return row ?? { rows: 0, minutes: 0 };
}

describe("a promotion", () => {
  it("is recorded once, with who did it and which run of which service", async () => {
    const payload = scanPayload({ serviceName: "gated" });
    const submitted = await stack.http.post<{ scanRunId: string; serviceId: string }>(
      "/api/scans/ingest",
      payload,
      { headers: { "waymark-promote": "false" } },
    );
    const { scanRunId, serviceId } = submitted.body;
    await waitForRun(stack, scanRunId);
    const promoted = await Promise.all(
      [1, 2, 3].map(() => stack.http.post(`/api/scan-runs/${scanRunId}/promote`, {})),
    );
    expect(promoted.map((answer) => answer.status)).toEqual([200, 200, 200]);
    const recorded = await events("&action=scan_run.promoted");
    expect(recorded).toEqual([
      {
        id: expect.any(String),
        action: "scan_run.promoted",
        actorKeyId: firstKeyId,
        actor: null,
        apiKeyId: null,
        route: null,
        code: null,
        details: { scanRunId, serviceId },
        address: "127.0.0.1",
        requestId: expect.any(String),
        createdAt: expect.any(String),
      },
    ]);
    expect(promoted.map((answer) => answer.headers.get("x-request-id"))).toContain(recorded[0]?.requestId);
  });

  it("is not recorded when it is refused, nor for a run that was current from the start", async () => {
    const before = (await events("&action=scan_run.promoted")).length;
    const { body } = await stack.http.post<{ scanRunId: string }>("/api/scans/ingest", scanPayload({}));
    await waitForRun(stack, body.scanRunId);
    const { rawKey } = await makeKey(stack, { scopes: ["services:read"] });
    const promote = `/api/scan-runs/${body.scanRunId}/promote`;
    expect((await stack.http.post(promote, {}, { key: rawKey })).status).toBe(403);
    expect((await stack.http.post(promote, {})).status).toBe(200);
    expect(await events("&action=scan_run.promoted")).toHaveLength(before);
  });
});

describe("a session", () => {
  it("is recorded when a browser signs in and when it signs out, with its key, address and request", async () => {
    const { id, rawKey } = await makeKey(stack, { scopes: ["services:read"] });
    const { answer, cookie } = await signIn(stack.api, rawKey);
    expect(answer.status).toBe(200);
    const signedOut = await signOut(stack.api, cookie);
    // An ended or unknown session does not end again.
    for (const nothing of [cookie, "waymark_session=junk", ""]) await signOut(stack.api, nothing);
    const common = {
      id: expect.any(String),
      actorKeyId: id,
      actor: null,
      apiKeyId: id,
      route: null,
      code: null,
      details: {},
      address: "127.0.0.1",
      createdAt: expect.any(String),
    };
    expect((await events(`&apiKeyId=${id}`)).slice(0, 2)).toEqual([
      { ...common, action: "session.ended", requestId: signedOut.headers.get("x-request-id") },
      { ...common, action: "session.created", requestId: answer.headers.get("x-request-id") },
    ]);
  });

  it("is recorded once a minute and address, however often a key's holder repeats it", async () => {
    const { id, rawKey } = await makeKey(stack, {});
    for (let i = 0; i < 15; i++) await signOut(stack.api, (await signIn(stack.api, rawKey)).cookie);
    const rows = await query<{ action: string; rows: string; minutes: string }>(
      stack,
      `SELECT action, count(*) AS rows, count(DISTINCT date_trunc('minute', created_at)) AS minutes
       FROM audit_events WHERE api_key_id = $1 AND action LIKE 'session.%' GROUP BY action ORDER BY action`,
      [id],
    );
    expect(rows.map((row) => row.action)).toEqual(["session.created", "session.ended"]);
    for (const row of rows) expect(row.rows).toBe(row.minutes);
  });

  it("that is refused to an unusable key is a denied use; without a known key, nothing is recorded", async () => {
    const { id, rawKey } = await makeKey(stack, {});
    await stack.http.post(`/api/api-keys/${id}/revoke`, {});
    expect((await signIn(stack.api, rawKey)).answer.status).toBe(401);
    const [denied] = await events(`&apiKeyId=${id}`);
    expect(denied).toMatchObject({
      action: "api_key.use_denied",
      route: "POST /api/session",
      code: "api_key_revoked",
    });
    const [before] = await query(stack, "SELECT count(*) AS n FROM audit_events");
    expect((await signIn(stack.api, withAnotherSecret(stack.apiKey))).answer.status).toBe(401);
    expect(await query(stack, "SELECT count(*) AS n FROM audit_events")).toEqual([before]);
  });
});

describe("the operator's commands", () => {
  const admin = (...args: string[]) =>
    runNode(["services/api/src/admin.ts", ...args, "--json"], { DATABASE_URL: stack.databaseUrl });

  it("are recorded in their organization, without a key and by the operator", async () => {
    const { organizationId, apiKey } = await createHostedOrganization(stack.databaseUrl, "Umbrella");
    const made = JSON.parse(
      await admin("create-key", "--organization", organizationId, "--name", "ops", "--scope", "a:b"),
    ) as { id: string };
    await admin("revoke-key", made.id);
    await admin("list-keys", "--organization", organizationId);
    const recorded = await events("", apiKey);
    expect(recorded.map(({ action, apiKeyId }) => [action, apiKeyId])).toEqual([
      ["api_key.revoked", made.id],
      ["api_key.created", made.id],
      ["api_key.created", expect.any(String)],
      ["organization.created", null],
    ]);
    for (const event of recorded) {
      expect(event).toMatchObject({ actorKeyId: null, address: null, requestId: null });
      expect(event.details).toMatchObject({ by: "operator" });
    }
    expect(recorded.at(-1)?.details).toEqual({ by: "operator", name: "Umbrella" });
  });
});

describe("an exceeded rate limit", () => {
  it("is recorded once per limit and minute, with the limit, its value and the first route", async () => {
    await using api = await startApi({ ...stack, env: { RATE_LIMIT_KEY_PER_MINUTE: "3" } });
    const http = createHttpClient(api.baseUrl);
    const { id, rawKey } = await makeKey(stack, { scopes: ["services:read"] });
    const statuses = [];
    for (let i = 0; i < 40; i++) statuses.push((await http.get("/api/services", { key: rawKey })).status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(30);
    const [event] = await events(`&apiKeyId=${id}&action=rate_limit.exceeded`);
    expect(event).toEqual({
      id: expect.any(String),
      action: "rate_limit.exceeded",
      actorKeyId: id,
      actor: null,
      apiKeyId: id,
      route: "GET /api/services",
      code: null,
      details: { limit: "keyPerMinute", value: 3, retryAfterSeconds: expect.any(Number) },
      address: "127.0.0.1",
      requestId: expect.any(String),
      createdAt: expect.any(String),
    });
    const counted = await rowsAndMinutes("rate_limit.exceeded", { limit: "keyPerMinute" });
    expect(counted.rows).toBe(counted.minutes);
  });

  it("of an organization is one row a minute, however many keys and processes are refused", async () => {
    const env = { RATE_LIMIT_ORGANIZATION_PER_MINUTE: "2" };
    await using one = await startApi({ ...stack, env });
    await using two = await startApi({ ...stack, env });
    const keys = [await makeKey(stack, {}), await makeKey(stack, {}), await makeKey(stack, {})];
    for (const { baseUrl } of [one, two]) {
      const http = createHttpClient(baseUrl);
      for (const { rawKey } of [...keys, ...keys]) await http.get("/api/limits", { key: rawKey });
    }
    const limit = { limit: "organization.requestsPerMinute" };
    const counted = await rowsAndMinutes("rate_limit.exceeded", limit);
    expect(counted.rows).toBe(counted.minutes);
    const recorded = (await events("&action=rate_limit.exceeded")).filter(
      (event) => event.details["limit"] === limit.limit,
    );
    expect(recorded[0]).toMatchObject({ apiKeyId: null, details: { ...limit, value: 2 } });
    expect(keys.map((key) => key.id)).toContain(recorded[0]?.actorKeyId);
  });

  it("of an address without a key leaves no row, because it belongs to no organization", async () => {
    await using api = await startApi({ ...stack, env: { RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "2" } });
    const http = createHttpClient(api.baseUrl);
    const [before] = await query<{ n: string }>(stack, "SELECT count(*) AS n FROM audit_events");
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await http.get("/api/limits", { key: "junk" })).status);
    expect(statuses).toEqual([401, 401, 429, 429, 429]);
    expect(await query(stack, "SELECT count(*) AS n FROM audit_events")).toEqual([before]);
  });
});

it("a version that does not know an action skips its events", async () => {
  const { organizationId, apiKey } = await createHostedOrganization(stack.databaseUrl, "Ahead");
  await query(
    stack,
    `INSERT INTO audit_events (organization_id, id, action) VALUES ($1, gen_random_uuid(), 'thing.invented')`,
    [organizationId],
  );
  expect((await events("", apiKey)).map((event) => event.action)).toEqual([
    "api_key.created",
    "organization.created",
  ]);
});
