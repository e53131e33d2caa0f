import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeKey } from "../support/api-keys.ts";
import { runNode } from "../support/run-node.ts";
import { scanPayload } from "../support/scan-payload.ts";
import { waitForRun } from "../support/scans.ts";
import { query } from "../support/sql.ts";
import { createOrganization, type Stack, startStack } from "../support/stack.ts";

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

describe("the operator's commands", () => {
  const admin = (...args: string[]) =>
    runNode(["services/api/src/admin.ts", ...args, "--json"], { DATABASE_URL: stack.databaseUrl });

  it("are recorded in their organization, without a key and by the operator", async () => {
    const { organizationId, apiKey } = await createOrganization(stack.databaseUrl, "Umbrella");
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

it("a version that does not know an action passes over its events", async () => {
  const { organizationId, apiKey } = await createOrganization(stack.databaseUrl, "Ahead");
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
