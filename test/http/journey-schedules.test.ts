import { randomBytes } from "node:crypto";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import type { JourneySchedule, JourneyScheduleTick } from "@waymark/shared/journey-schedules/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import {
  type JourneyTarget,
  startJourneyTarget,
  thingsJourney,
} from "@waymark/test-support/journey-target.ts";
import { createJourney, journeyText, storeDocument } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack, startWorkerProcess } from "@waymark/test-support/stack.ts";
import type { TestService } from "@waymark/test-support/service-process.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

let target: JourneyTarget;
let stack: Stack;
let otherWorker: TestService;
let journeyId: string;
let environmentId: string;

beforeAll(async () => {
  target = await startJourneyTarget();
  const JOURNEY_KEYS = `k1:${randomBytes(32).toString("base64")}`;
  const workerEnv = {
    JOURNEY_KEYS,
    WORKER_ROLES: "journeys",
    WORKER_RECONCILE_MS: "200",
    WORKER_HOUSEKEEPING_MS: "500",
    JOURNEY_EGRESS_ALLOW: `127.0.0.1:${target.port}`,
  };
  stack = await startStack({ apiEnv: { JOURNEY_KEYS }, workerEnv });
  otherWorker = await startWorkerProcess({ ...stack, env: workerEnv });
  const documents = thingsJourney();
  for (const [path, text] of Object.entries(documents)) {
    const { id, kind } = await storeDocument(stack, { path, text });
    if (kind === "journey") journeyId = id;
  }
  environmentId = await createEnvironment("test", { inputs: { run: "scheduled" } });
});
afterAll(async () => {
  await otherWorker.stop();
  await stack[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});
beforeEach(() => query(stack, "DELETE FROM journey_schedules"));

async function createEnvironment(name: string, more: Record<string, unknown> = {}): Promise<string> {
  const { body, text } = await stack.http.post<{ id: string }>("/api/environments", {
    name,
    servers: { things: target.url },
    ...more,
  });
  if (body.id === undefined) throw new Error(text);
  return body.id;
}

const send = (body: Record<string, unknown> = {}) =>
  stack.http.post<JourneySchedule>("/api/journey-schedules", {
    name: "nightly",
    journeyId,
    environmentId,
    cron: "30 2 * * *",
    ...body,
  });

async function create(body: Record<string, unknown> = {}): Promise<JourneySchedule> {
  const answer = await send(body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

const pathOf = ({ id }: { id: string }) => `/api/journey-schedules/${id}`;
const read = async (schedule: { id: string }) =>
  (await stack.http.get<JourneySchedule>(pathOf(schedule))).body;

/** Makes the schedule's tick of this minute due. */
async function makeDue(schedule: { id: string }): Promise<void> {
  await query(
    stack,
    "UPDATE journey_schedules SET next_due_at = date_trunc('minute', now()), next_at = now() WHERE id = $1",
    [schedule.id],
  );
}

async function tickOf(schedule: { id: string }): Promise<JourneyScheduleTick> {
  await makeDue(schedule);
  await expect.poll(async () => (await read(schedule)).lastTick, { timeout: 60_000 }).not.toBeNull();
  const { body } = await stack.http.get<{ ticks: JourneyScheduleTick[] }>(`${pathOf(schedule)}/ticks`);
  const [tick, ...others] = body.ticks;
  if (tick === undefined || others.length > 0) throw new Error(`there are ${body.ticks.length} ticks`);
  return tick;
}

describe("a schedule of a journey", () => {
  it("is created with its next five times, read, listed, replaced and deleted", async () => {
    const created = await create({ timeZone: "Europe/Berlin", cron: " 30 2 * * mon-fri " });
    expect(created).toMatchObject({
      name: "nightly",
      journeyPath: "things.journey.yaml",
      version: null,
      environmentName: "test",
      cron: "30 2 * * MON-FRI",
      overlap: "skip",
      catchUp: "none",
      jitterSeconds: 0,
      enabled: true,
      pausedReason: null,
      failuresInRow: 0,
      lastTick: null,
    });
    expect(created.nextTimes).toHaveLength(5);
    expect(created.nextTimes).toEqual(created.nextTimes.toSorted());
    expect(await read(created)).toEqual(created);
    for (const filter of [
      "",
      "?name=nightly",
      `?journeyId=${journeyId}`,
      `?environmentId=${environmentId}`,
    ]) {
      const { body } = await stack.http.get<{ schedules: JourneySchedule[] }>(
        `/api/journey-schedules${filter}`,
      );
      expect(body.schedules).toEqual([created]);
    }
    const none = await stack.http.get<{ schedules: object[] }>("/api/journey-schedules?name=other");
    expect(none.body.schedules).toEqual([]);

    const body = {
      name: "weekly",
      journeyId,
      environmentId,
      cron: "0 4 * * 7",
      version: 1,
      overlap: "queue",
    };
    const replaced = await stack.http.request<JourneySchedule>("PUT", pathOf(created), { body });
    expect(replaced.body).toMatchObject({ ...body, timeZone: "UTC", createdAt: created.createdAt });
    expect(new Date(replaced.body.nextTimes[0] ?? "").getUTCDay()).toBe(0);
    expect((await stack.http.request("DELETE", pathOf(created))).status).toBe(204);
    expect((await stack.http.get(pathOf(created))).status).toBe(404);
  });

  it("is paused and resumed, and a change leaves it paused", async () => {
    const schedule = await create();
    const paused = await stack.http.post<JourneySchedule>(`${pathOf(schedule)}/pause`);
    expect(paused.body).toMatchObject({ enabled: false, pausedReason: null, nextTimes: [] });
    expect((await stack.http.post<JourneySchedule>(`${pathOf(schedule)}/pause`)).body).toEqual(paused.body);
    const body = { name: "nightly", journeyId, environmentId, cron: "0 4 * * *" };
    const changed = await stack.http.request<JourneySchedule>("PUT", pathOf(schedule), { body });
    expect(changed.body).toMatchObject({ enabled: false, cron: "0 4 * * *" });
    await query(stack, "UPDATE journey_schedules SET failures_in_row = 3, paused_reason = 'why'");
    const resumed = await stack.http.post<JourneySchedule>(`${pathOf(schedule)}/resume`);
    expect(resumed.body).toMatchObject({ enabled: true, pausedReason: null, failuresInRow: 0 });
    expect(resumed.body.nextTimes).toHaveLength(5);
  });

  it("is in the audit record with every change", async () => {
    const schedule = await create();
    const body = { name: "renamed", journeyId, environmentId, cron: "30 2 * * *" };
    await stack.http.request("PUT", pathOf(schedule), { body });
    await stack.http.post(`${pathOf(schedule)}/pause`);
    await stack.http.post(`${pathOf(schedule)}/resume`);
    await stack.http.request("DELETE", pathOf(schedule));
    const { body: page } = await stack.http.get<{ auditEvents: AuditEvent[] }>("/api/audit-events?limit=200");
    const own = page.auditEvents.filter(({ details }) => details["scheduleId"] === schedule.id);
    expect(own.map(({ action, details }) => [action, details["name"], details["changed"]])).toEqual([
      ["journey_schedule.deleted", "renamed", undefined],
      ["journey_schedule.resumed", "renamed", undefined],
      ["journey_schedule.paused", "renamed", undefined],
      ["journey_schedule.updated", "renamed", ["name"]],
      ["journey_schedule.created", "nightly", undefined],
    ]);
  });
});

describe("a schedule is refused", () => {
  it.each([
    ["with seconds", { cron: "0 30 2 * * *" }, "cron", /has 6 fields/],
    ["with the last day of a month", { cron: "0 0 L * *" }, "cron", /field 3 \(day of the month\): "L"/],
    ["with a date that never comes", { cron: "0 0 31 2 *" }, "cron", /never comes: field 3/],
    [
      "with an interval that is too short",
      { cron: "*/4 * * * *" },
      "cron",
      /twice within 4 minutes.* 5 minutes/,
    ],
    ["in an unknown zone", { timeZone: "Europe/Atlantis" }, "timeZone", /not a time zone/],
    [
      "with a jitter that is too long",
      { cron: "*/5 * * * *", jitterSeconds: 31 },
      "jitterSeconds",
      /at most 30/,
    ],
    ["with an unknown field", { inputs: {} }, "", /inputs/],
  ])("%s", async (_what, body, path, message) => {
    const answer = await send(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      error: {
        code: "validation_failed",
        details: [{ path, message: expect.stringMatching(message) }],
      },
    });
  });

  it.each([
    ["for a journey that is not there", { journeyId: crypto.randomUUID() }, 404, "not_found"],
    ["for an environment that is not there", { environmentId: crypto.randomUUID() }, 404, "not_found"],
    ["for a version that is not there", { version: 9 }, 404, "not_found"],
  ])("%s", async (_what, body, status, code) => {
    expect(errorOf(await send(body))).toMatchObject({ status, code });
  });

  it("with a name that another one has, also of two that are sent at once", async () => {
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(["201", "409", "409"]);
    const other = await create({ name: "other" });
    const body = { name: "nightly", journeyId, environmentId, cron: "30 2 * * *" };
    const renamed = await stack.http.request("PUT", pathOf(other), { body });
    expect(errorOf(renamed)).toMatchObject({ status: 409, code: "schedule_name_taken" });
  });

  it("in a protected environment, but for the released version", async () => {
    const id = await createEnvironment("production", { protected: true, inputs: { run: "p" } });
    const refused = await send({ environmentId: id });
    expect(errorOf(refused)).toMatchObject({ status: 403, code: "environment_protected" });
    const release = `/api/environments/${id}/releases/${journeyId}`;
    await stack.http.request("PUT", release, { body: { version: 1 } });
    const schedule = await create({ environmentId: id });
    expect((await tickOf(schedule)).outcome).toBe("started");
    await stack.http.request("DELETE", release);
    await query(stack, "DELETE FROM journey_schedule_ticks");
    await expect.poll(() => unfinishedOf(schedule)).toBe(0);
    expect(await tickOf(schedule)).toMatchObject({
      outcome: "refused",
      runId: null,
      reason: expect.stringContaining("no version of this journey was released"),
    });
  });

  it("beyond 100 of an organization, which the limits say", async () => {
    const { body } = await stack.http.get<{ journeySchedules: object }>("/api/limits");
    expect(body.journeySchedules).toMatchObject({
      schedulesMax: 100,
      intervalMinutesMin: 5,
      failuresMax: 20,
    });
    await query(
      stack,
      `INSERT INTO journey_schedules (organization_id, id, name, document_id, environment_id, cron, time_zone, overlap, catch_up,
                                      jitter_seconds, next_due_at, next_at, created_by_key_id, updated_by_key_id)
       SELECT $1, gen_random_uuid(), n::text, $2, $3, '0 0 1 1 *', 'UTC', 'skip', 'none', 0, 'infinity', 'infinity', $2, $2
       FROM generate_series(1, 100) n`,
      [stack.organizationId, journeyId, environmentId],
    );
    expect(errorOf(await send())).toMatchObject({ status: 409, code: "limit_reached" });
  });

  it("to a key for another journey or environment, also as the change of its own", async () => {
    const other = await createJourney(stack);
    const key = await createKey(stack, [{ permission: "journeys:schedule", workflowId: other }]);
    const request = { name: "own", journeyId: other, environmentId, cron: "0 0 * * *" };
    const own = await stack.http.post<JourneySchedule>("/api/journey-schedules", request, { key });
    expect(own.status).toBe(201);
    const body = { ...request, journeyId };
    const stolen = await stack.http.request("PUT", pathOf(own.body), { body, key });
    expect(errorOf(stolen)).toMatchObject({ status: 403, code: "permission_denied" });
    const refused = await stack.http.post("/api/journey-schedules", body, { key });
    expect(errorOf(refused)).toMatchObject({ status: 403, code: "permission_denied" });
  });
});

const unfinishedOf = async ({ id }: { id: string }) =>
  (
    await query(
      stack,
      "SELECT FROM journey_runs WHERE schedule_id = $1 AND status IN ('queued', 'running')",
      [id],
    )
  ).length;

describe("what a schedule uses", () => {
  it("is neither archived nor deleted", async () => {
    const id = await createJourney(stack);
    const environment = await createEnvironment("used");
    const schedule = await create({ journeyId: id, environmentId: environment });
    const archived = await stack.http.request("DELETE", `/api/journeys/${id}`);
    expect(errorOf(archived)).toMatchObject({ status: 409, code: "document_in_use" });
    expect(archived.text).toContain("The schedule nightly runs journeys/");
    const deleted = await stack.http.request("DELETE", `/api/environments/${environment}`);
    expect(errorOf(deleted)).toMatchObject({ status: 409, code: "environment_in_use" });
    await stack.http.request("DELETE", pathOf(schedule));
    expect((await stack.http.request("DELETE", `/api/journeys/${id}`)).status).toBe(200);
    expect((await stack.http.request("DELETE", `/api/environments/${environment}`)).status).toBe(204);
  });

  it("is not archived at the moment at which a schedule begins to use it", async () => {
    for (let n = 0; n < 10; n++) {
      const id = await createJourney(stack);
      const [created, archived] = await Promise.all([
        send({ name: `race ${n}`, journeyId: id }),
        stack.http.request("DELETE", `/api/journeys/${id}`),
      ]);
      expect(["201 409", "404 200"]).toContain(`${created.status} ${archived.status}`);
    }
  });
});

it("ticks are deleted after 90 days", async () => {
  const { id } = await create();
  await query(
    stack,
    `INSERT INTO journey_schedule_ticks (organization_id, schedule_id, due_at, outcome, reason, decided_at)
     SELECT $1, $2, date_trunc('day', now()) - days * interval '1 day', 'missed', 'r', now()
     FROM unnest(ARRAY[1, 89, 91, 300]) days`,
    [stack.organizationId, id],
  );
  const ages = async () => {
    const rows = await query<{ days: number }>(
      stack,
      `SELECT extract(day FROM now() - due_at)::integer AS days FROM journey_schedule_ticks WHERE schedule_id = $1
       ORDER BY 1`,
      [id],
    );
    return rows.map(({ days }) => days);
  };
  await expect.poll(ages).toEqual([1, 89]);
});

describe("a tick, with two workers", () => {
  it("starts one run, which is carried out", async () => {
    const schedule = await create();
    const tick = await tickOf(schedule);
    expect(tick).toMatchObject({ outcome: "started", reason: null, runId: expect.any(String) });
    await expect.poll(() => unfinishedOf(schedule)).toBe(0);
    const { body: run } = await stack.http.get(`/api/journey-runs/${tick.runId}`);
    expect(run).toMatchObject({ status: "passed", trigger: "schedule", environmentId, journeyId });
    const sent = target.requests.filter(({ run: of, step }) => of === "scheduled" && step === "create");
    expect(sent).toHaveLength(1);
    expect(await query(stack, "SELECT FROM journey_runs WHERE schedule_id = $1", [schedule.id])).toHaveLength(
      1,
    );
    expect(await read(schedule)).toMatchObject({ failuresInRow: 0, lastTick: tick });
  });

  it("runs the newest version, or the one that the schedule is pinned to", async () => {
    const path = "versions.journey.yaml";
    const first = await storeDocument(stack, { path, text: journeyText("One") });
    await storeDocument(stack, { path, text: journeyText("Two", "2.0.0"), baseVersion: 1 });
    for (const [version, expected] of [
      [null, 2],
      [1, 1],
    ]) {
      const schedule = await create({ name: String(version), journeyId: first.id, version });
      const { runId } = await tickOf(schedule);
      const { body } = await stack.http.get(`/api/journey-runs/${runId}`);
      expect(body).toMatchObject({ version: expected });
    }
  });

  it("of a journey that can't be started says why, and the 20th in a row pauses the schedule", async () => {
    const cases = [
      [journeyText("Broken").replace("== 200", "=="), /^The journey does not compile\. broken0/],
      [
        journeyText("Secret").replace(
          "    steps:",
          "    inputs: { type: object, properties: { token: { type: string } } }\n    x-journey: { secrets: { token: { ref: env:TOKEN } } }\n    steps:",
        ),
        /no secrets of these names: TOKEN/,
      ],
    ] as const;
    for (const [n, [text, reason]] of cases.entries()) {
      const { id } = await storeDocument(stack, { path: `broken${n}.journey.yaml`, text });
      const schedule = await create({ name: `broken ${n}`, journeyId: id });
      await query(stack, "UPDATE journey_schedules SET failures_in_row = 18 + $2 WHERE id = $1", [
        schedule.id,
        n,
      ]);
      expect(await tickOf(schedule)).toMatchObject({
        outcome: "refused",
        runId: null,
        reason: expect.stringMatching(reason),
      });
      const after = await read(schedule);
      expect(after).toMatchObject({ enabled: n === 0, failuresInRow: 19 + n });
      expect(after.pausedReason ?? "").toMatch(n === 0 ? /^$/ : /^20 runs in a row .* of these names: TOKEN/);
    }
  });
});
