// The numbers that the overview begins with, and those that a worker records of them each day.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDatabasePool, type DatabasePool } from "@waymark/server/db/pool.ts";
import type { ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import { describedService, settledChanges } from "@waymark/test-support/described-service.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { type CoverageStack, startCoverageStack } from "@waymark/test-support/journey-coverage/stack.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { announceSeed, createRandom, scaled } from "@waymark/test-support/scale.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, startStack } from "@waymark/test-support/stack.ts";
import { recordToday } from "../../services/worker/src/app/record-overview-days.ts";

let world: CoverageStack;
/** A connection for each of two workers. */
let workers: DatabasePool[];
beforeAll(async () => {
  announceSeed();
  world = await startCoverageStack();
  const url = serviceUrl(world.stack.databaseUrl);
  const open = () => createDatabasePool(url, { max: 1, applicationName: "test" });
  workers = await Promise.all([open(), open()]);
});
afterAll(async () => {
  for (const worker of workers) await worker.end();
  await world[Symbol.asyncDispose]();
});

const HOUR_MS = 3_600_000;
const overviewOf = async (http: HttpClient, search = "") =>
  (await http.get<Overview>(`/api/overview${search}`)).body;

async function newOrganization() {
  const { organizationId, apiKey: key } = await createHostedOrganization(world.stack.databaseUrl, "Counted");
  return { organizationId, http: createHttpClient(world.stack.api.baseUrl, { key }) };
}

/** Records today's numbers by one worker, or by several at the same time. Returns who did. */
const record = (
  organizationId: string,
  {
    everyMs = 0,
    by = workers.slice(0, 1),
    onFault = (error: unknown) => {
      throw error;
    },
  }: { everyMs?: number; by?: DatabasePool[]; onFault?: (error: unknown) => void } = {},
) => Promise.all(by.map((db) => recordToday(db, { organizationId, everyMs, onFault })));

/** Makes what was recorded on a day something of a day before. */
const moveDay = (organizationId: string, from: number, to: number) =>
  query(
    world.stack,
    `UPDATE overview_days SET day = (now() AT TIME ZONE 'UTC')::date - $3::int
     WHERE organization_id = $1 AND day = (now() AT TIME ZONE 'UTC')::date - $2::int`,
    [organizationId, from, to],
  );

const dayBefore = (days: number) => new Date(Date.now() - days * 24 * HOUR_MS).toISOString().slice(0, 10);

async function scan(http: HttpClient, serviceName: string, promote = true): Promise<ScanIngestionResult> {
  const payload = scanPayload({ serviceName, seed: randomUUID(), endpoints: 1 });
  const headers = { "waymark-promote": String(promote) };
  const { body } = await http.post<ScanIngestionResult>("/api/scans/ingest", payload, { headers });
  await waitForRun({ http }, body.scanRunId);
  return body;
}

const judge = (http: HttpClient, scanRunId: string, passed: boolean) =>
  http.request("PUT", `/api/scan-runs/${scanRunId}/gates`, {
    body: { gates: [{ gate: "--fail-on high", passed, causes: [], causeCount: 0 }] },
  });

it("services that fail their gates are those whose last scan did, as a count of plain objects has them", async () => {
  const random = createRandom("gates of services");
  const { http } = await newOrganization();
  const names = ["a", "b", "c", "d"] as const;
  const model = new Map<
    string,
    { id: string; gates: boolean | null; isHeld: boolean; isArchived: boolean }
  >();
  for (let round = 0; round < scaled({ short: 14, long: 300 }); round++) {
    const name = random.pick(names);
    const before = model.get(name);
    const kind = random.pick(["scan", "scan", "scan", "promote", "archive"] as const);
    if (before === undefined || kind === "scan") {
      const gates = random.pick([true, false, false, null] as const);
      const isHeld = gates === false || random.pick([true, false] as const);
      const { scanRunId, serviceId } = await scan(http, name, !isHeld);
      if (gates !== null) await judge(http, scanRunId, gates);
      model.set(name, { id: serviceId ?? "", gates, isHeld, isArchived: before?.isArchived ?? false });
    } else if (kind === "archive") {
      before.isArchived = !before.isArchived;
      await http.request("PATCH", `/api/services/${before.id}`, { body: { archived: before.isArchived } });
    } else if (before.isHeld) {
      const { body } = await http.get<{ scanRuns: { id: string }[] }>(
        `/api/services/${before.id}/scan-runs?limit=1`,
      );
      await http.post(`/api/scan-runs/${body.scanRuns[0]?.id}/promote`);
      before.isHeld = false;
    }
    const services = [...model.values()].filter(({ isArchived }) => !isArchived);
    const failing = services.filter(({ gates, isHeld }) => gates === false && isHeld);
    const judged = services.filter(({ gates }) => gates !== null).length;
    const counted = await overviewOf(http);
    expect(counted).toMatchObject({
      gateFailureCount: judged === 0 ? null : failing.length,
      judgedServiceCount: judged,
      concernCounts: {
        gates: failing.length,
        held: services.filter((one) => one.isHeld).length - failing.length,
      },
    });
    const listed = counted.concerns.filter(({ kind: one }) => one === "gates");
    expect(listed.map(({ serviceId }) => serviceId).toSorted()).toEqual(
      failing.map(({ id }) => id).toSorted(),
    );
    for (const { failedGates } of listed) expect(failedGates).toEqual(["--fail-on high"]);
  }
}, 240_000);

it("a number is not known where nothing was compared or judged", async () => {
  const { organizationId, http } = await newOrganization();
  const { serviceId } = await scan(http, "orders");
  expect(await overviewOf(http)).toMatchObject({
    breakingServiceCount: 0,
    gateFailureCount: null,
    judgedServiceCount: 0,
  });
  await query(world.stack, "DELETE FROM service_break_days WHERE organization_id = $1", [organizationId]);
  const set = (compared: number, notCompared: number) =>
    query(
      world.stack,
      `INSERT INTO service_break_days (organization_id, service_id, day, breaking, compared, not_compared)
       SELECT $1, $2, (now() AT TIME ZONE 'UTC')::date - ago, 0, $3, $4 FROM unnest(ARRAY[6, 7]) ago
       ON CONFLICT (organization_id, service_id, day) DO UPDATE SET compared = excluded.compared`,
      [organizationId, serviceId, compared, notCompared],
    );
  await set(0, 2);
  for (const search of ["", "?owner=none"])
    expect(await overviewOf(http, search)).toMatchObject({
      breakingServiceCount: null,
      recentRuns: { compared: 0, notCompared: 2 },
    });
  await set(1, 2);
  expect(await overviewOf(http)).toMatchObject({
    breakingServiceCount: 0,
    recentRuns: { compared: 1, notCompared: 2 },
  });
});

it("a service that breaks clients is counted also where no run of the last days is known to be compared", async () => {
  const { organizationId, http } = await newOrganization();
  const stack = { ...world.stack, http };
  const service = describedService(stack, { endpointCount: 1 });
  await service.scan();
  await settledChanges(stack, await service.scan({ required: ["page"] }));
  const compared = async () => (await overviewOf(http)).recentRuns.compared;
  await expect.poll(compared, { timeout: 60_000 }).toBeGreaterThan(0);
  await query(
    world.stack,
    "UPDATE service_break_days SET compared = 0, not_compared = 2 WHERE organization_id = $1",
    [organizationId],
  );
  expect(await overviewOf(http)).toMatchObject({
    breakingServiceCount: 1,
    recentRuns: { compared: 0, notCompared: 2 },
  });
});

it("a day has what was counted last on it, once for all workers, and a day without a worker is missing", async () => {
  const { organizationId, http } = await newOrganization();
  // An organization without services has no days.
  expect(await record(organizationId)).toEqual([false]);
  const { scanRunId } = await scan(http, "orders", false);
  await judge(http, scanRunId, true);
  const both = await record(organizationId, { everyMs: HOUR_MS, by: workers });
  expect(both.filter(Boolean)).toEqual([true]);
  expect(await record(organizationId, { everyMs: HOUR_MS })).toEqual([false]);
  // The numbers of today are those of now.
  expect((await overviewOf(http)).recordedDays).toEqual([]);
  await judge(http, (await scan(http, "orders", false)).scanRunId, false);
  expect(await record(organizationId)).toEqual([true]);
  // Midnight passes, and on the next day no worker runs.
  await moveDay(organizationId, 0, 2);
  await scan(http, "orders", true);
  expect(await record(organizationId, { everyMs: HOUR_MS, by: workers })).toContain(true);
  const first = { day: dayBefore(2), gateFailureCount: 1, breakingServiceCount: 0 };
  const none = { mustCriteria: { covered: 0, total: 0 }, endpoints: { covered: 0, total: 0 } };
  expect((await overviewOf(http)).recordedDays).toEqual([{ ...first, ...none }]);
  await moveDay(organizationId, 0, 1);
  expect((await overviewOf(http)).recordedDays).toEqual([
    { ...first, ...none },
    {
      day: dayBefore(1),
      gateFailureCount: null,
      breakingServiceCount: 0,
      mustCriteria: { covered: 0, total: 0 },
      endpoints: { covered: 0, total: 1 },
    },
  ]);
  await moveDay(organizationId, 2, 90);
  expect((await overviewOf(http)).recordedDays?.map(({ day }) => day)).toEqual([dayBefore(1)]);
});

it("coverage is recorded as its page counts it, and read by who may read that", async () => {
  const { stack } = world;
  await world.run("buy.journey.json");
  await record(stack.organizationId);
  await moveDay(stack.organizationId, 0, 1);
  const { must, operations } = (await world.coverage()).shares;
  expect({ must, operations }).toEqual({
    must: { covered: 1, total: 5 },
    operations: { covered: 6, total: 34 },
  });
  const days = async (scopes: Parameters<typeof createKey>[1], search = "") => {
    const http = createHttpClient(stack.api.baseUrl, { key: await createKey(stack, scopes) });
    return (await overviewOf(http, search)).recordedDays;
  };
  const all = ["services:read", "endpoints:read", "journeys:read"] as const;
  expect(await days([...all])).toMatchObject([{ mustCriteria: must, endpoints: operations }]);
  const hidden = [{ day: dayBefore(1), mustCriteria: null, endpoints: null }];
  for (const missing of ["endpoints:read", "journeys:read"])
    expect(await days(all.filter((one) => one !== missing))).toMatchObject(hidden);
  const limited = { permission: "endpoints:read", serviceId: world.shopId };
  expect(await days(["services:read", "journeys:read", limited])).toMatchObject(hidden);
  expect(await days([{ permission: "services:read", serviceId: world.shopId }, "journeys:read"])).toBeNull();
  for (const search of ["?owner=none", "?label=tier%3D1"]) expect(await days([...all], search)).toBeNull();
});

it("a day of which the coverage can't be counted has the other numbers, and is recorded once", async () => {
  const { organizationId, http } = await newOrganization();
  await judge(http, (await scan(http, "orders", false)).scanRunId, false);
  const faults: unknown[] = [];
  const onFault = (error: unknown) => faults.push(error);
  await query(world.stack, "ALTER FUNCTION bind_sources RENAME TO bind_sources_elsewhere");
  await query(
    world.stack,
    `CREATE FUNCTION bind_sources(uuid, uuid) RETURNS void LANGUAGE plpgsql
     AS $$ BEGIN RAISE query_canceled USING MESSAGE = 'canceling statement due to statement timeout'; END $$`,
  );
  try {
    expect(await record(organizationId, { everyMs: HOUR_MS, onFault })).toEqual([true]);
    expect(await record(organizationId, { everyMs: HOUR_MS, by: workers, onFault })).toEqual([false, false]);
    expect(faults).toMatchObject([{ message: expect.stringContaining("statement_timeout") }]);
  } finally {
    await query(world.stack, "DROP FUNCTION bind_sources");
    await query(world.stack, "ALTER FUNCTION bind_sources_elsewhere RENAME TO bind_sources");
  }
  await moveDay(organizationId, 0, 1);
  const counted = { day: dayBefore(1), gateFailureCount: 1, breakingServiceCount: 0 };
  expect((await overviewOf(http)).recordedDays).toEqual([
    { ...counted, mustCriteria: null, endpoints: null },
  ]);
});

it("a worker records the numbers of today", async () => {
  await using stack = await startStack({ workerEnv: { WORKER_HOUSEKEEPING_MS: "200" } });
  await scan(stack.http, "orders");
  const recorded = () =>
    query(
      stack,
      "SELECT gate_failures FROM overview_days WHERE organization_id = $1 AND day = (now() AT TIME ZONE 'UTC')::date",
      [stack.organizationId],
    );
  await expect.poll(recorded, { timeout: 60_000 }).toEqual([{ gate_failures: null }]);
});
