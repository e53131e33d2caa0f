// The lists of the overview that are not about services: keys, journeys and schedules.
import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import { journeyText, storeDocument } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { OWN_PAGE, signIn } from "@waymark/test-support/sessions.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { addEndedRuns } from "@waymark/test-support/stored-journeys.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

async function overview(key?: string): Promise<Overview> {
  const { body } = await stack.http.get<Overview>("/api/overview", key === undefined ? {} : { key });
  return body;
}

describe("the overview", () => {
  it("lists refused clients, and not refused requests of console sessions", async () => {
    const client = await createKey(stack, ["services:read"]);
    const browsing = await createKey(stack, ["services:read"]);
    const { cookie } = await signIn(stack.api, browsing);
    const refused = await stack.http.get("/api/audit-events", {
      key: null,
      headers: { cookie, ...OWN_PAGE },
    });
    expect(refused.status).toBe(403);
    const before = (await overview()).refusedKeyCount;
    expect((await stack.http.get("/api/audit-events", { key: client })).status).toBe(403);
    const after = await overview();
    expect(after.refusedKeyCount - before).toBe(1);
    const { body } = await stack.http.get<{ auditEvents: { apiKeyId: string; details: object }[] }>(
      "/api/audit-events?action=api_key.use_denied",
    );
    const ofSession = body.auditEvents.filter(({ details }) => "session" in details);
    expect(ofSession).toHaveLength(1);
    expect(after.refusedKeys?.map(({ apiKeyId }) => apiKeyId)).not.toContain(ofSession[0]?.apiKeyId);
    // The refusal of a session does not stand for one of a client with the same key.
    expect((await stack.http.get("/api/audit-events", { key: browsing })).status).toBe(403);
    const { refusedKeys } = await overview();
    expect(refusedKeys?.map(({ apiKeyId }) => apiKeyId)).toContain(ofSession[0]?.apiKeyId);
  });

  it("names journeys by their newest ended run in each environment, and schedules that fail or are paused", async () => {
    const environmentIds = await Promise.all(
      ["staging", "production"].map(async (name) => {
        const { body } = await stack.http.post<{ id: string }>("/api/environments", { name });
        return body.id;
      }),
    );
    const [staging = "", production = ""] = environmentIds;
    const journeyId = async (name: string) =>
      (await storeDocument(stack, { path: `${name}.journey.yaml`, text: journeyText(name) })).id;
    const [broken, fixed] = [await journeyId("broken"), await journeyId("fixed")];
    const add = (id: string, environmentId: string, statuses: string[], daysAgo = 0) =>
      addEndedRuns(stack, { journeyId: id, environmentId, statuses, daysAgo });
    await add(broken, staging, ["passed", "failed", "aborted"]);
    await add(broken, production, ["passed"]);
    await add(fixed, production, ["failed", "passed"]);
    await add(fixed, staging, ["error", "aborted", "passed", "passed"]);
    const forgotten = await journeyId("forgotten");
    await add(forgotten, staging, ["failed", "passed"], 8);
    const schedule = async (name: string) => {
      const timing = { cron: "0 0 1 1 *", timeZone: "UTC" };
      const body = { name, journeyId: broken, environmentId: staging, ...timing };
      expect((await stack.http.post("/api/journey-schedules", body)).status).toBe(201);
    };
    for (const name of ["fine", "failing", "paused", "given up"]) await schedule(name);
    await query(
      stack,
      "UPDATE journey_schedules SET failures_in_row = 2 WHERE name IN ('failing', 'given up')",
    );
    await query(
      stack,
      `UPDATE journey_schedules SET is_enabled = false, next_at = NULL, next_due_at = NULL,
         paused_reason = CASE name WHEN 'given up' THEN '2 runs in a row did not pass' END
       WHERE name IN ('paused', 'given up')`,
    );
    const {
      failingJourneys,
      failingJourneyCount,
      recoveredJourneys,
      recoveredJourneyCount,
      troubledSchedules,
      troubledScheduleCount,
    } = await overview();
    expect(recoveredJourneys).toMatchObject([
      { journeyId: fixed, journeyTitle: "fixed", environmentName: "production" },
    ]);
    expect(recoveredJourneyCount).toBe(1);
    expect(failingJourneys).toMatchObject([
      { journeyId: broken, journeyPath: "broken.journey.yaml", environmentName: "staging", status: "failed" },
    ]);
    expect(failingJourneyCount).toBe(1);
    const states = troubledSchedules?.map(({ name, state, pausedReason }) => [name, state, pausedReason]);
    expect(new Set(states)).toEqual(
      new Set([
        ["failing", "failing", null],
        ["given up", "pausedByServer", "2 runs in a row did not pass"],
        ["paused", "paused", null],
      ]),
    );
    expect(states?.at(-1)?.[0]).toBe("paused");
    expect(troubledScheduleCount).toBe(3);
    expect(await overview(await createKey(stack, ["services:read"]))).toMatchObject({
      failingJourneys: null,
      failingJourneyCount: 0,
      recoveredJourneys: null,
      recoveredJourneyCount: 0,
      troubledSchedules: null,
    });
    const ofJourneys = { permission: "journeys:read", resourceType: "workflow" };
    expect(await overview(await createKey(stack, ["services:read", ofJourneys]))).toMatchObject({
      failingJourneyCount: 1,
      troubledScheduleCount: 3,
    });
    const ofOne = { ...ofJourneys, resourceId: broken };
    expect((await overview(await createKey(stack, ["services:read", ofOne]))).failingJourneys).toBeNull();
  });

  it("has keys that expire soon, for callers that may read keys", async () => {
    const day = 24 * 3600 * 1000;
    const inDays = (days: number) => new Date(Date.now() + days * day);
    await createKey(stack, ["*"], { expiresAt: inDays(13) });
    await createKey(stack, ["*"], { expiresAt: inDays(2) });
    await createKey(stack, ["*"], { expiresAt: inDays(15) });
    await createKey(stack, ["*"], { expiresAt: inDays(-1) });
    await createKey(stack, ["*"], { expiresAt: inDays(3), revoked: true });
    const { expiringKeys, expiringKeyCount } = await overview();
    expect(expiringKeyCount).toBe(2);
    const days = expiringKeys?.map(({ expiresAt }) => Math.round((Date.parse(expiresAt) - Date.now()) / day));
    expect(days).toEqual([2, 13]);
    expect((await overview(await createKey(stack, ["services:read"]))).expiringKeys).toBeNull();
    const ofKeys = { permission: "api-keys:read", resourceType: "api_key" };
    const seen = await overview(await createKey(stack, ["services:read", ofKeys]));
    expect(seen.expiringKeys).toEqual(expiringKeys);
  });

  it("has keys that were refused lately, each with its last refused request", async () => {
    const before = (await overview()).refusedKeyCount;
    const [first, second] = [
      await createKey(stack, ["audit:read"]),
      await createKey(stack, ["scans:create"]),
    ];
    await stack.http.get("/api/services", { key: first });
    await stack.http.get("/api/audit-events", { key: second });
    await stack.http.get("/api/journeys", { key: first });
    const { refusedKeys, refusedKeyCount } = await overview();
    expect(refusedKeyCount).toBe(before + 2);
    const idOf = async (key: string) =>
      (await stack.http.get<{ id: string; name: string }>("/api/api-keys/self", { key })).body;
    const [{ id, name }, { id: other }] = [await idOf(first), await idOf(second)];
    expect(refusedKeys?.slice(0, 2)).toMatchObject([
      { apiKeyId: id, name, route: "GET /api/journeys", code: "permission_denied" },
      { apiKeyId: other, route: "GET /api/audit-events" },
    ]);
    // Events are sorted by their ids, which begin with their time.
    const long = Date.now() - 8 * 24 * 3600 * 1000;
    await query(
      stack,
      `UPDATE audit_events SET id = overlay(id::text PLACING $2::text FROM 1 FOR 8)::uuid WHERE api_key_id = $1`,
      [id, long.toString(16).padStart(12, "0").slice(0, 8)],
    );
    expect((await overview()).refusedKeyCount).toBe(before + 1);
    const seen = await overview(await createKey(stack, ["services:read", "api-keys:read"]));
    expect(seen).toMatchObject({ refusedKeys: null, refusedKeyCount: 0 });
  });
});
