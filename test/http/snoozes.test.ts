import { randomUUID } from "node:crypto";
import type { NormalizedFinding, ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import {
  eventOfConcern,
  eventOfFailing,
  eventOfNewService,
  eventOfOverdue,
  eventOfRefused,
  eventOfSchedule,
} from "@waymark/shared/services/snoozes/item-event.ts";
import { SNOOZE_LIMITS } from "@waymark/shared/services/snoozes/limits.ts";
import type { ItemEvent } from "@waymark/shared/services/snoozes/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { journeyText, storeDocument } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { type StoredUser, storeUser } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { addEndedRuns } from "@waymark/test-support/stored-journeys.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

let stack: Stack;
let ada: StoredUser;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());
beforeEach(async () => {
  await query(stack, "UPDATE services SET archived_at = now()");
  ada = await storeUser(stack);
});

const HOUR_MS = 3600 * 1000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
const HELD = { "waymark-promote": "false" };

async function scan(
  serviceName: string,
  headers: Record<string, string> = {},
  findings?: NormalizedFinding[],
) {
  const payload = scanPayload({ serviceName, endpoints: 2, seed: randomUUID() });
  const { body } = await stack.http.post<ScanIngestionResult>(
    "/api/scans/ingest",
    findings === undefined ? payload : { ...payload, findings },
    { headers },
  );
  await waitForRun(stack, body.scanRunId);
  return body;
}

const overview = async ({ rawKey: key } = ada, search = "") =>
  (await stack.http.get<Overview>(`/api/overview${search}`, { key })).body;
const snoozed = (user = ada, search = "") => overview(user, `?snoozed=true${search}`);
const snooze = ({ kind, subjectId, ...item }: ItemEvent, user = ada, until = inHours(20)) =>
  stack.http.request("PUT", `/api/overview/snoozes/${kind}/${subjectId}`, {
    key: user.rawKey,
    body: { ...item, until },
  });
const unsnooze = ({ kind, subjectId }: ItemEvent, user = ada) =>
  stack.http.request("DELETE", `/api/overview/snoozes/${kind}/${subjectId}`, { key: user.rawKey });

/** The held service of the overview as an item. */
async function heldItem(name: string): Promise<ItemEvent> {
  const found = (await overview(ada, "?rows=2000")).concerns.find(
    ({ kind, serviceName }) => kind === "held" && serviceName === name,
  );
  const item = found === undefined ? null : eventOfConcern(found);
  if (item === null) throw new Error(`${name} is not held`);
  return item;
}
const heldNames = ({ concerns }: Overview) =>
  concerns.flatMap(({ kind, serviceName }) => (kind === "held" ? [serviceName] : []));

describe("an item that a person has snoozed", () => {
  it("leaves the list and its count for this person only, is listed as snoozed, and comes back when that is undone", async () => {
    await scan("calm", HELD);
    await scan("loud", HELD);
    const eve = await storeUser(stack);
    const item = await heldItem("calm");
    const until = inHours(20);
    const answer = await snooze(item, ada, until);
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: { kind: "held", subjectId: item.subjectId, until },
    });
    const [own, kept, hers] = [await overview(), await snoozed(), await overview(eve)];
    expect(heldNames(own)).toEqual(["loud"]);
    expect(own.concernCounts.held).toBe(1);
    expect(own.snoozes).toEqual([answer.body]);
    expect(heldNames(kept)).toEqual(["calm"]);
    expect(kept.concernCounts).toEqual({ ...own.concernCounts, held: 1 });
    expect([kept.newServices, kept.newServiceCount, kept.snoozes]).toEqual([[], 0, [answer.body]]);
    expect(heldNames(hers)).toEqual(["loud", "calm"]);
    expect([hers.concernCounts.held, hers.snoozes]).toEqual([2, []]);
    expect((await snoozed(eve)).concerns).toEqual([]);
    // Undoing is repeated without harm, and nobody undoes what another person has snoozed.
    expect((await unsnooze(item, eve)).status).toBe(204);
    expect(heldNames(await overview())).toEqual(["loud"]);
    for (let n = 0; n < 2; n++) expect((await unsnooze(item)).status).toBe(204);
    expect(heldNames(await overview())).toEqual(["loud", "calm"]);
  });

  it("is listed again when its time is over", async () => {
    await scan("over", HELD);
    await snooze(await heldItem("over"));
    expect((await overview()).concernCounts.held).toBe(0);
    await query(stack, "UPDATE inbox_snoozes SET until = now() WHERE principal_id = $1", [ada.id]);
    expect(heldNames(await overview())).toEqual(["over"]);
    expect((await snoozed()).concerns).toEqual([]);
  });

  it("is listed again when another scan is not promoted, and can be snoozed again", async () => {
    await scan("again", HELD);
    const first = await heldItem("again");
    await snooze(first);
    await scan("again", HELD);
    expect(heldNames(await overview())).toEqual(["again"]);
    expect((await overview()).snoozes).toEqual([]);
    // A snooze is for what the page has shown, not for what has happened since.
    await snooze(first);
    expect(heldNames(await overview())).toEqual(["again"]);
    await snooze(await heldItem("again"));
    expect(heldNames(await overview())).toEqual([]);
    expect(await query(stack, "SELECT FROM inbox_snoozes WHERE principal_id = $1", [ada.id])).toHaveLength(1);
  });

  it("is counted apart among more than the list has, and changes no number of the organization", async () => {
    for (let n = 0; n < 24; n++) await scan(`many-${n}`, HELD);
    const last = await scan("gated", HELD);
    const gates = [{ gate: "--fail-on high", passed: false, causes: [], causeCount: 1 }];
    await stack.http.request("PUT", `/api/scan-runs/${last.scanRunId}/gates`, { body: { gates } });
    const before = await overview();
    expect([before.concernCounts.held, before.gateFailureCount]).toEqual([24, 1]);
    for (const name of ["many-23", "many-12", "many-0"]) await snooze(await heldItem(name));
    const [gated] = before.concerns.filter(({ kind }) => kind === "gates");
    const item = gated === undefined ? null : eventOfConcern(gated);
    if (item !== null) await snooze(item);
    const [listed, whole, kept] = [await overview(), await overview(ada, "?rows=2000"), await snoozed()];
    expect(listed.concernCounts).toMatchObject({ held: 21, gates: 0 });
    expect(heldNames(listed)).toHaveLength(20);
    expect(heldNames(whole)).toHaveLength(21);
    expect(heldNames(listed)).not.toContain("many-23");
    expect(heldNames(whole)).toEqual(expect.not.arrayContaining(["many-0", "many-12"]));
    expect(heldNames(kept)).toEqual(["many-23", "many-12", "many-0"]);
    expect(kept.concernCounts).toMatchObject({ held: 3, gates: 1 });
    expect([listed.gateFailureCount, kept.gateFailureCount]).toEqual([1, 1]);
    expect([listed.serviceCount, kept.serviceCount]).toEqual([25, 25]);
  });
});

describe("items of other lists", () => {
  it("are snoozed one by one, and a newer run, a tick and another refusal bring them back", async () => {
    const { body: environment } = await stack.http.post<{ id: string }>("/api/environments", { name: "e" });
    const of = { text: journeyText("j"), path: "j.journey.yaml" };
    const { id: journeyId } = await storeDocument(stack, of);
    const runs = { journeyId, environmentId: environment.id };
    await addEndedRuns(stack, { ...runs, statuses: ["failed"] });
    const rhythm = { name: "s", cron: "0 0 1 1 *", timeZone: "UTC" };
    const { body: schedule } = await stack.http.post<{ id: string }>("/api/journey-schedules", {
      ...runs,
      ...rhythm,
    });
    await query(stack, "UPDATE journey_schedules SET failures_in_row = 5");
    const refused = await createKey(stack, ["services:read"]);
    expect((await stack.http.get("/api/audit-events", { key: refused })).status).toBe(403);
    const { serviceId } = await scan("fresh");
    const before = await overview();
    const [journey, trouble, key] = [
      before.failingJourneys?.[0],
      before.troubledSchedules?.[0],
      before.refusedKeys?.[0],
    ];
    if (journey === undefined || trouble === undefined || key === undefined) throw new Error("not listed");
    for (const item of [
      eventOfFailing(journey),
      eventOfSchedule(trouble),
      eventOfRefused(key),
      eventOfNewService({ serviceId }),
    ])
      expect((await snooze(item)).status).toBe(200);
    const countsOf = ({
      failingJourneyCount,
      troubledScheduleCount,
      refusedKeyCount,
      newServiceCount,
    }: Overview) => [
      failingJourneyCount,
      troubledScheduleCount,
      refusedKeyCount - before.refusedKeyCount,
      newServiceCount,
    ];
    expect(countsOf(await overview())).toEqual([0, 0, -1, 0]);
    const kept = await snoozed();
    expect([kept.failingJourneys, kept.troubledSchedules, kept.refusedKeys]).toEqual([
      [journey],
      [trouble],
      [key],
    ]);
    expect(kept.newServices).toMatchObject([{ serviceId }]);
    await addEndedRuns(stack, { ...runs, statuses: ["failed"] });
    // It has passed in between: its failures are counted from 1.
    await query(stack, "UPDATE journey_schedules SET failures_in_row = 1");
    await query(
      stack,
      `INSERT INTO journey_schedule_ticks (organization_id, schedule_id, due_at, outcome, reason, decided_at)
       VALUES ($1, $2, now(), 'refused', 'r', now())`,
      [stack.organizationId, schedule.id],
    );
    expect((await stack.http.get("/api/principals", { key: refused })).status).toBe(403);
    expect(countsOf(await overview())).toEqual([1, 1, 0, 0]);
  });

  it("with overdue findings come back when another finding is overdue, though one was fixed", async () => {
    await stack.http.request("PUT", "/api/severity-policy", {
      body: { rules: [], dueDays: { critical: 7 } },
    });
    const found = (code: string): NormalizedFinding => ({
      code,
      severity: "critical",
      message: "m",
      method: "GET",
      path: "/a",
    });
    const { serviceId } = await scan("late", {}, [found("one")]);
    const age = () =>
      query(
        stack,
        `WITH forgotten AS (DELETE FROM service_derivations WHERE service_id = $1)
         UPDATE service_snapshots SET first_seen_at = now() - interval '20 days' WHERE service_id = $1`,
        [serviceId],
      );
    await age();
    const [overdue] = (await overview()).overdueServices;
    if (overdue === undefined) throw new Error("nothing is overdue");
    await snooze(eventOfOverdue(overdue));
    expect(await overview()).toMatchObject({
      overdueServices: [],
      overdueServiceCount: 0,
      overdueFindingCount: 1,
    });
    expect(await snoozed()).toMatchObject({ overdueServices: [overdue], overdueServiceCount: 1 });
    await scan("late", {}, [found("other")]);
    await age();
    expect(await overview()).toMatchObject({
      overdueServices: [{ serviceId, overdueFindingCount: 1, oldestDueOn: overdue.oldestDueOn }],
      overdueServiceCount: 1,
    });
  });
});

describe("a request to snooze", () => {
  const item = () => ({ kind: "held", subjectId: randomUUID(), event: "e", level: 0 }) as const;

  it("is refused to a key that belongs to no user, and does not say what exists", async () => {
    const rawKey = await createKey(stack, ["*"]);
    const nobody = { id: "", rawKey };
    expect(errorOf(await snooze(item(), nobody))).toMatchObject({ status: 409, code: "user_required" });
    expect((await unsnooze(item(), nobody)).status).toBe(204);
    expect((await snoozed(nobody)).concerns).toEqual([]);
    const poor = await storeUser(stack, { roles: [] });
    expect((await snooze(item(), poor)).status).toBe(403);
    const { body } = await stack.http.get<{ auditEvents: { action: string }[] }>(
      "/api/audit-events?limit=200",
    );
    expect(body.auditEvents.filter(({ action }) => action.includes("snooze"))).toEqual([]);
    expect((await snooze(item())).status).toBe(200);
  });

  it.each([
    { until: "2026-01-01T00:00:00Z" },
    { until: "9999-01-01T00:00:00Z" },
    { until: "tomorrow" },
    { until: undefined },
    { level: -1 },
    { level: 1.5 },
    { level: 2 ** 31 },
    { event: "\0" },
    { event: "x".repeat(SNOOZE_LIMITS.eventMax + 1) },
    { principalId: "11111111-1111-4111-8111-111111111111" },
  ])("with %j is refused", async (wrong) => {
    const body = { event: "e", level: 0, until: inHours(1), ...wrong };
    const path = `/api/overview/snoozes/held/${randomUUID()}`;
    expect((await stack.http.request("PUT", path, { key: ada.rawKey, body })).status).toBe(400);
  });

  it("of a list that nobody can snooze, or with an id that is none, finds nothing", async () => {
    const body = { event: "e", level: 0, until: inHours(1) };
    for (const path of [`accepted/${randomUUID()}`, `toString/${randomUUID()}`, "held/1"])
      expect(
        (await stack.http.request("PUT", `/api/overview/snoozes/${path}`, { key: ada.rawKey, body })).status,
      ).toBe(404);
  });

  it("makes room by ending the snooze that would end first", async () => {
    const { perUserMax } = SNOOZE_LIMITS;
    await query(
      stack,
      `INSERT INTO inbox_snoozes (organization_id, principal_id, kind, subject_id, event, level, until)
       SELECT $1, $2, 'held', gen_random_uuid(), 'e' || n, 0, now() + n * interval '1 minute' FROM generate_series(1, $3::int) n`,
      [stack.organizationId, ada.id, perUserMax],
    );
    await snooze(item(), ada, inHours(0.001));
    const rows = await query<{ event: string }>(
      stack,
      "SELECT event FROM inbox_snoozes WHERE principal_id = $1",
      [ada.id],
    );
    expect(rows).toHaveLength(perUserMax);
    const events = rows.map(({ event }) => event);
    expect([events.includes("e"), events.includes("e1"), events.includes("e2")]).toEqual([true, false, true]);
  });
});
