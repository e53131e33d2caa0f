import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let stack: Stack;
const services: Record<string, string> = {};
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

async function send(
  payload: ReturnType<typeof scanPayload>,
  headers: Record<string, string> = {},
): Promise<string> {
  const { body } = await stack.http.post<{ scanRunId: string; serviceId: string }>(
    "/api/scans/ingest",
    payload,
    { headers },
  );
  await waitForRun(stack, body.scanRunId);
  services[payload.service.name] = body.serviceId;
  return body.scanRunId;
}

function scan(
  serviceName: string,
  {
    endpoints = 3,
    findings = 0,
    headers = {},
  }: { endpoints?: number; findings?: number; headers?: Record<string, string> },
): Promise<string> {
  return send(scanPayload({ serviceName, endpoints, findings }), headers);
}

const held = { headers: { "waymark-promote": "false" } };

async function overview(key?: string): Promise<Overview> {
  const { body } = await stack.http.get<Overview>("/api/overview", key === undefined ? {} : { key });
  return body;
}

const concernsOf = async (serviceName: string, key?: string) =>
  (await overview(key)).concerns.filter((concern) => concern.serviceName === serviceName);

/** As a worker leaves a run that it can't store. */
async function fail(scanRunId: string): Promise<void> {
  await query(
    stack,
    `UPDATE scan_runs SET status = 'failed', snapshot_id = NULL, completed_at = NULL, error_code = 'internal_error', error_message = 'It broke.'
     WHERE id = $1`,
    [scanRunId],
  );
}

async function record(): Promise<void> {
  await query(
    stack,
    `SELECT set_config('waymark.organization_id', $1::text, true), record_service_changes($1::uuid, '00000000-0000-0000-0000-000000000000', 1000)`,
    [stack.organizationId],
  );
}

const createdAt = async (scanRunId: string) =>
  (await stack.http.get<{ createdAt: string }>(`/api/scan-runs/${scanRunId}`)).body.createdAt;

describe("the overview", () => {
  it("is empty for an organization without services, and shows it no other's", async () => {
    await scan("somebody's", { findings: 5 });
    const { apiKey } = await createHostedOrganization(stack.databaseUrl, "Strangers");
    expect(await overview(apiKey)).toEqual({
      breakingServiceCount: 0,
      gateFailureCount: null,
      judgedServiceCount: 0,
      recentRuns: { compared: 0, notCompared: 0 },
      recordedDays: [],
      serviceCount: 0,
      endpointCount: 0,
      findingCount: 0,
      findingsBySeverity: { critical: 0, high: 0, medium: 0, low: 0, info: 0 },
      decidedBySeverity: { critical: 0, high: 0, medium: 0, low: 0, info: 0 },
      overdueFindingCount: 0,
      overdueServices: [],
      overdueServiceCount: 0,
      days: [],
      dailyBreaks: [],
      concerns: [],
      concernCounts: { breaking: 0, removed: 0, gates: 0, held: 0, failed: 0, severe: 0, accepted: 0 },
      pendingServiceCount: 0,
      newServices: [],
      newServiceCount: 0,
      expiringKeys: [],
      expiringKeyCount: 0,
      refusedKeys: [],
      refusedKeyCount: 0,
      failingJourneys: [],
      failingJourneyCount: 0,
      recoveredJourneys: [],
      recoveredJourneyCount: 0,
      troubledSchedules: [],
      troubledScheduleCount: 0,
      snoozes: [],
    });
  });

  it("has the totals of all current scans, and new services", async () => {
    const before = await overview();
    await scan("counted", { endpoints: 2, findings: 5 });
    await scan("counted", { endpoints: 4, findings: 6 });
    await scan("counted", { endpoints: 9, findings: 0, ...held });
    const after = await overview();
    expect(after.serviceCount - before.serviceCount).toBe(1);
    expect(after.endpointCount - before.endpointCount).toBe(4);
    expect(after.findingCount - before.findingCount).toBe(6);
    expect(after.findingsBySeverity.info - before.findingsBySeverity.info).toBe(2);
    expect(after.newServices[0]).toMatchObject({
      serviceId: services["counted"],
      serviceName: "counted",
      endpointCount: 4,
      findingCount: 6,
    });
    expect(after.newServiceCount - before.newServiceCount).toBe(1);
    await query(stack, "UPDATE services SET created_at = now() - interval '8 days' WHERE id = $1", [
      services["counted"],
    ]);
    expect((await overview()).newServices.map(({ serviceName }) => serviceName)).not.toContain("counted");
  });

  it("has as many rows of each list as are asked for, and counts all", async () => {
    for (const name of ["rows-1", "rows-2"]) await scan(name, {});
    const { body } = await stack.http.get<Overview>("/api/overview?rows=1");
    expect(body.newServices).toHaveLength(1);
    expect(body.newServiceCount).toBeGreaterThan(1);
    for (const rows of ["0", "2001", "x", "1e1", ""])
      expect((await stack.http.get(`/api/overview?rows=${rows}`)).status).toBe(400);
  });

  it("has the totals of the days on which they changed, and the last ones before", async () => {
    const { organizationId, apiKey: key } = await createHostedOrganization(stack.databaseUrl, "Growing");
    const http = createHttpClient(stack.api.baseUrl, { key });
    const noon = new Date().setUTCHours(12, 0, 0, 0);
    const day = (ago: number) => new Date(noon - ago * 24 * 3600 * 1000).toISOString();
    const store = async (endpoints: number, ago: number, seconds = 0) => {
      const time = new Date(Date.parse(day(ago)) + seconds * 1000);
      const headers = { "scanned-at": time.toISOString() };
      const payload = scanPayload({ serviceName: "growing", endpoints, findings: 5 });
      const { body } = await http.post<{ scanRunId: string }>("/api/scans/ingest", payload, { headers });
      await waitForRun({ http }, body.scanRunId);
    };
    const recordDays = () =>
      query(
        stack,
        `SELECT set_config('waymark.organization_id', $1::text, true),
                record_service_days($1::uuid, '00000000-0000-0000-0000-000000000000', 1000), record_daily_totals($1::uuid)`,
        [organizationId],
      );
    // A scan belongs to its own day, whenever it is sent, and the totals are written.
    await store(4, 2);
    await recordDays();
    await store(1, 101);
    await store(2, 100);
    await recordDays();
    await store(3, 10);
    // The content is sent again, and nothing changes.
    await store(3, 9);
    await store(9, 1);
    await store(5, 1, 1);
    await recordDays();
    await recordDays();
    const { body } = await http.get<Overview>("/api/overview");
    const totals = body.days?.map((each) => [each.day, each.endpointCount]);
    const dateOf = (ago: number) => day(ago).slice(0, 10);
    expect(totals).toEqual([
      [dateOf(90), 2],
      [dateOf(10), 3],
      [dateOf(2), 4],
      [dateOf(1), 5],
    ]);
    // Its changes were not recorded.
    expect(body.pendingServiceCount).toBe(1);
    expect(body.days?.at(-1)).toMatchObject({
      serviceCount: 1,
      findingsBySeverity: { critical: 1, high: 1, medium: 1, low: 1, info: 1 },
    });
  });

  it("names services whose last scan failed or was not promoted, and since when", async () => {
    await scan("unlucky", {});
    const first = await scan("unlucky", { endpoints: 4, ...held });
    const last = await scan("unlucky", { endpoints: 5, ...held });
    const expected = { kind: "held", scanRunId: last, since: await createdAt(first), error: null };
    expect(await concernsOf("unlucky")).toMatchObject([expected]);
    const failedFirst = await scan("unlucky", { endpoints: 6, ...held });
    const failedLast = await scan("unlucky", { endpoints: 7, ...held });
    await fail(failedFirst);
    await fail(failedLast);
    expect(await concernsOf("unlucky")).toMatchObject([
      {
        kind: "failed",
        scanRunId: failedLast,
        since: await createdAt(failedFirst),
        error: { code: "internal_error", message: "It broke." },
      },
    ]);
    await scan("unlucky", {});
    expect(await concernsOf("unlucky")).toEqual([]);
  });

  it.each([
    ["recorded by the worker", record],
    ["not recorded yet", () => query(stack, "DELETE FROM service_derivations")],
  ])("names services that lost endpoints or got severe findings: %s", async (how, prepare) => {
    const name = `changed, ${how}`;
    await scan(name, { endpoints: 5, findings: 0 });
    const headers = { "waymark-branch": "main", "waymark-build-url": "https://ci.example/7" };
    // Five findings have every severity.
    const scanRunId = await scan(name, { endpoints: 2, findings: 5, headers });
    // Another scan with this content does not move the change.
    await scan(name, { endpoints: 2, findings: 5 });
    await prepare();
    const changed = {
      serviceId: services[name],
      scanRunId,
      since: await createdAt(scanRunId),
      source: { branch: "main", commit: null, url: "https://ci.example/7" },
    };
    expect(await concernsOf(name)).toMatchObject([
      { ...changed, kind: "removed", removedEndpoints: 3 },
      { ...changed, kind: "severe", newCritical: 1, newHigh: 1 },
    ]);
    await scan(name, { endpoints: 3, findings: 5 });
    await prepare();
    expect(await concernsOf(name)).toEqual([]);
  });

  it("counts no endpoint as removed whose path parameters were renamed", async () => {
    const payload = scanPayload({ serviceName: "renaming", endpoints: 4, findings: 0 });
    await send(payload);
    const renamed = payload.endpoints.map((each) => ({
      ...each,
      path: each.path.replace("{id}", "{thing}"),
    }));
    await send({ ...payload, endpoints: renamed.slice(1) });
    expect(await concernsOf("renaming")).toMatchObject([{ kind: "removed", removedEndpoints: 1 }]);
  });

  it("forgets changes after a week, and has none of a first scan", async () => {
    await scan("older", { endpoints: 5, findings: 5 });
    expect(await concernsOf("older")).toEqual([]);
    await scan("older", { endpoints: 2, findings: 5 });
    await record();
    expect(await concernsOf("older")).toMatchObject([{ kind: "removed" }]);
    await query(
      stack,
      "UPDATE service_changes SET changed_at = now() - interval '8 days' WHERE service_id = $1",
      [services["older"]],
    );
    expect(await concernsOf("older")).toEqual([]);
  });

  it("counts all concerns of a kind, and lists the newest", async () => {
    const before = (await overview()).concernCounts.held;
    for (let n = 0; n < 21; n++) await scan(`many-${n}`, held);
    const { concerns, concernCounts } = await overview();
    expect(concernCounts.held).toBe(before + 21);
    const listed = concerns.filter(({ kind }) => kind === "held");
    expect(listed).toHaveLength(20);
    expect(listed[0]?.serviceName).toBe("many-20");
    const order = ["breaking", "removed", "gates", "held", "failed", "severe", "accepted"];
    const kinds = concerns.map(({ kind }) => kind);
    expect(kinds).toEqual(order.flatMap((kind) => kinds.filter((each) => each === kind)));
  });

  it("is of its services for a key that is limited to services", async () => {
    await scan("payments-eu", { endpoints: 7 });
    await scan("payments-eu", { endpoints: 6 });
    const limits = [
      { serviceId: services["payments-eu"] ?? "" },
      { resourceConstraints: { serviceNames: ["payments-*"] } },
    ];
    for (const limit of limits) {
      const key = await createKey(stack, [{ permission: "services:read", ...limit }]);
      const seen = await overview(key);
      expect(seen).toMatchObject({
        serviceCount: 1,
        endpointCount: 6,
        newServiceCount: 1,
        expiringKeys: null,
        days: null,
        dailyBreaks: null,
        recordedDays: null,
      });
      expect(seen.concerns).toMatchObject([
        { kind: "removed", serviceName: "payments-eu", removedEndpoints: 1 },
      ]);
    }
  });
});
