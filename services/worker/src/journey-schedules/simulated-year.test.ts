import { withOrganization } from "@waymark/server/db/organization.ts";
import { createDatabasePool, createPgPool, type DatabasePool, type PgPool } from "@waymark/server/db/pool.ts";
import type { PreparedRun } from "@waymark/server/journey-runs/start/prepare-run.ts";
import { nextTick, nextTimes } from "@waymark/server/journey-schedules/cron/next-times.ts";
import { insertSchedule } from "@waymark/server/journey-schedules/queries.ts";
import type { JourneyScheduleRequest } from "@waymark/shared/journey-schedules/schema.ts";
import {
  addScheduleOrganization,
  endRuns,
  preparedRun,
  unfinishedRuns,
} from "@waymark/test-support/journey-schedules/organization.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createScheduler, type Scheduler } from "./scheduler.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A year to come, so that the database's clock, which some of its functions read, is always before it. */
const YEAR = 2090;
const START = Date.UTC(YEAR, 0, 1);
const END = Date.UTC(YEAR + 1, 0, 1);

/** Berlin's clock skips an hour within the second outage; the third takes 3 days. */
const OUTAGES = [
  [Date.UTC(YEAR, 4, 10, 0, 10), HOUR],
  [Date.UTC(YEAR, 2, 26, 0, 30), HOUR],
  [Date.UTC(YEAR, 8, 1, 11), 3 * DAY],
].map(([from = 0, ms = 0]) => ({ from, to: from + ms }));

/** Santiago's clock changes at midnight, Lord Howe's by half an hour, and Kolkata's never. */
const ZONES = [
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kolkata",
  "America/Santiago",
];
/** All of these clocks change on Sundays, and in these months, which also have the outages. */
const NIGHTS = scaled({ short: "3-5,9-11 0", long: "* 0,3" });
const NIGHTLY = { cron: `30 2 * ${NIGHTS}`, overlap: "skip", catchUp: "none", jitterSeconds: 0 } as const;
const NIGHTS_MIN = scaled({ short: 25, long: 104 });
const STARTED_MIN = scaled({ short: 350, long: 700 });
const HOURLY_AT_NIGHT = {
  cron: "0 0-3 * 3,4,9-11 0",
  overlap: "queue",
  catchUp: "one",
  jitterSeconds: 60,
} as const;

interface Tick {
  schedule_id: string;
  due_at: Date;
  outcome: string;
  run_id: string | null;
  decided_at: Date;
}

let database: TestDatabase;
let pool: PgPool;
let db: DatabasePool;
let now = START;

beforeAll(async () => {
  database = await createTestDatabase();
  const url = serviceUrl(database.databaseUrl);
  pool = createPgPool(url, { max: 6, applicationName: "test", onError: () => undefined });
  db = await createDatabasePool(url, { max: 12, applicationName: "test" });
  // A year's runs are stored within seconds: the hourly limit must not count them.
  await query(database, "ALTER TABLE journey_runs ALTER created_at SET DEFAULT '2000-01-01'");
  // Indexes for queries that only this test makes.
  await query(database, "CREATE INDEX ON journey_runs (id) WHERE status IN ('queued', 'running')");
  await query(database, "CREATE INDEX ON journey_schedule_ticks (run_id)");
});
afterAll(async () => {
  await pool.end();
  await db.end();
  await database[Symbol.asyncDispose]();
});
beforeEach(async () => {
  now = START;
  await query(database, "DELETE FROM journey_schedules");
});

/** Hooks that disturb a simulated worker. */
interface Faults {
  beforeRun?: (organizationId: string) => Promise<void> | void;
}

function scheduler({ beforeRun }: Faults = {}): Scheduler {
  return createScheduler({
    pool,
    db,
    now: () => new Date(now),
    async prepare({ organizationId }): Promise<PreparedRun> {
      await beforeRun?.(organizationId);
      return preparedRun();
    },
    onStarted: () => undefined,
    observer: { decided: () => undefined, started: () => undefined },
    onError: () => undefined,
  });
}

async function addSchedule(
  organizationId: string,
  rhythm: Omit<JourneyScheduleRequest, "name" | "journeyId" | "environmentId" | "version">,
): Promise<string> {
  const id = crypto.randomUUID();
  const { target } = preparedRun();
  const settings = {
    ...rhythm,
    name: id,
    journeyId: target.document.id,
    environmentId: target.environment.id,
    version: null,
  };
  const next = nextTick({ id, ...rhythm }, new Date(START - 1));
  await withOrganization(db, organizationId, (tx) =>
    insertSchedule(tx, { organizationId, scheduleId: id, settings, keyId: organizationId, next }),
  );
  return id;
}

/** When something is due that nobody works on, or a run ends that a tick waits for. */
async function nextEvent(durationOf: (runId: string) => number): Promise<number> {
  const [row] = await query<{ at: Date | null }>(
    database,
    "SELECT min(greatest(next_at, claimed_until)) AS at FROM journey_schedules",
  );
  const ends = (await unfinishedRuns(database))
    .filter(({ isAwaited }) => isAwaited)
    .map(({ runId, startedAt }) => startedAt + durationOf(runId));
  return Math.min(row?.at?.getTime() ?? END, ...ends);
}

const decideAll = (schedulers: readonly Scheduler[]) =>
  Promise.all(
    schedulers.map(async (each) => {
      await each.wake();
      await each.settled();
    }),
  );

const ticksOf = (scheduleId: string) =>
  query<Tick>(database, "SELECT * FROM journey_schedule_ticks WHERE schedule_id = $1 ORDER BY due_at", [
    scheduleId,
  ]);

/** A number from 0 to 1 that is the same in every run of the test. */
function randomNumbers(): () => number {
  let state = 42;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

async function simulateYear(): Promise<void> {
  const random = randomNumbers();
  const beforeRun = () => {
    // A worker that is killed at any moment before its transaction ends has done nothing, and leaves its claim.
    if (random() < 0.01) throw new Error("killed");
  };
  let schedulers = [scheduler({ beforeRun }), scheduler({ beforeRun })];
  const durations = new Map<string, number>();
  // Runs take a minute, and every tenth takes two hours.
  const durationOf = (runId: string) => {
    const known = durations.get(runId) ?? (random() < 0.1 ? 2 * HOUR : MINUTE);
    durations.set(runId, known);
    return known;
  };
  for (;;) {
    const at = Math.max(now, await nextEvent(durationOf)) + random() * 2_000;
    const outage = OUTAGES.find(({ from, to }) => at >= from && at < to);
    now = outage === undefined ? at : outage.to + random() * 2_000;
    if (now >= END) return;
    await endRuns(database, { now, durationOf });
    if (random() < 0.05) schedulers = [scheduler({ beforeRun }), scheduler({ beforeRun })];
    await decideAll(schedulers);
  }
}

describe("schedules of five zones over a year", () => {
  it("decide about every tick once: killed workers, two schedulers, outages and both changes of clock", async () => {
    const schedules = [];
    for (const timeZone of ZONES) {
      const organizationId = await addScheduleOrganization(database);
      for (const rhythm of [NIGHTLY, HOURLY_AT_NIGHT]) {
        const id = await addSchedule(organizationId, { ...rhythm, timeZone });
        schedules.push({ id, timeZone, ...rhythm });
      }
    }
    await simulateYear();

    for (const schedule of schedules) {
      const ticks = await ticksOf(schedule.id);
      const expected = nextTimes(schedule, new Date(START - 1), 3_000).filter(
        (time) => time.getTime() < END - HOUR,
      );
      // None is lost, and none is made up. Those of the last hour may have been left to the next year.
      expect(ticks.map(({ due_at }) => due_at).slice(0, expected.length)).toEqual(expected);
      expect(schedule.cron === NIGHTLY.cron ? oddNights(schedule, ticks) : oddHours(schedule, ticks)).toEqual(
        [],
      );
      expect(oddOutages(schedule, ticks)).toEqual([]);
    }
    const [{ started, runs } = { started: 0, runs: -1 }] = await query<{ started: number; runs: number }>(
      database,
      `SELECT (SELECT count(*) FROM journey_schedule_ticks WHERE outcome = 'started')::integer AS started,
              (SELECT count(*) FROM journey_runs r JOIN journey_schedule_ticks t ON t.run_id = r.id
               AND t.schedule_id = r.schedule_id)::integer AS runs`,
    );
    expect(started).toBeGreaterThan(STARTED_MIN);
    expect(runs).toBe(started);
    expect(await query(database, "SELECT FROM journey_runs")).toHaveLength(started);
  });
});

/** Dates and times on the wall, which croner is not asked about. */
function wallTimes({ timeZone }: { timeZone: string }, ticks: readonly Tick[]) {
  const format = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "short" });
  return ticks.map(({ due_at: at }) => {
    const [day = "", time = ""] = format.format(at).split(" ");
    return { day, time };
  });
}

/** A night comes once, at 02:30, or at 03:00 in the one night of a year that may have no 02:30. */
function oddNights(schedule: { timeZone: string }, ticks: readonly Tick[]): string[] {
  const times = wallTimes(schedule, ticks);
  const late = times.filter(({ time }) => time === "03:00");
  return [
    ...times.filter(({ time }) => time !== "02:30" && time !== "03:00").map(({ time }) => time),
    ...late.slice(1).map(({ day }) => `${day} is late`),
    ...(new Set(times.map(({ day }) => day)).size === times.length ? [] : ["a night came twice"]),
    ...(times.length >= NIGHTS_MIN ? [] : [`${times.length} nights`]),
  ];
}

/** Four an hour apart, one less where the clock skips an hour, and 02:30 where it skips the half before that. */
function oddHours(schedule: { timeZone: string }, ticks: readonly Tick[]): string[] {
  const times = wallTimes(schedule, ticks);
  const odd = times.filter(({ time }) => !/^0[0-3]:00$/.test(time));
  const byDay = Map.groupBy(times, ({ day }) => day);
  const unusual = [...byDay].filter(([, each]) => each.length !== 4);
  return [
    ...odd.filter(({ time }) => time !== "02:30").map(({ time }) => time),
    ...odd.slice(1).map(({ day }) => `${day} is late`),
    ...unusual.filter(([, { length }]) => length < 3 || length > 5).map(([day]) => `${day} has others`),
    ...unusual.slice(2).map(([day]) => `the clock does not change on ${day}`),
  ];
}

/** In an outage ticks are missed. Afterwards one run is started for all of them, or none: never a flood. */
function oddOutages({ catchUp }: { catchUp: "none" | "one" }, ticks: readonly Tick[]): string[] {
  const inOutages = OUTAGES.flatMap(({ from, to }) => {
    const inside = ticks.filter(({ due_at: at }) => at.getTime() >= from && at.getTime() < to - 6 * MINUTE);
    const started = inside.filter(({ outcome }) => outcome === "started");
    const during = inside.filter(({ decided_at: at }) => at.getTime() < to);
    return [
      ...started.slice(catchUp === "none" ? 0 : 1).map(({ due_at: at }) => `started: ${at.toISOString()}`),
      ...during.map(({ due_at: at }) => `decided in the outage: ${at.toISOString()}`),
    ];
  });
  const isInOutage = ({ due_at: at }: Tick) =>
    OUTAGES.some(({ from, to }) => at.getTime() >= from - 5 * MINUTE && at.getTime() < to);
  const missed = ticks.filter((tick) => tick.outcome === "missed" && !isInOutage(tick));
  return [...inOutages, ...missed.map(({ due_at: at }) => `missed: ${at.toISOString()}`)];
}

describe("a scheduler", () => {
  const HOURLY = { cron: "0 * * * *", timeZone: "UTC", catchUp: "none", jitterSeconds: 0 } as const;

  it("that outlives its claim decides nothing: another one has", async () => {
    const organizationId = await addScheduleOrganization(database);
    const id = await addSchedule(organizationId, { ...HOURLY, overlap: "skip" });
    const builds = Promise.withResolvers<undefined>();
    const slow = scheduler({ beforeRun: () => builds.promise });
    now = START + 1_000;
    await slow.wake();
    now += 61_000;
    await decideAll([scheduler()]);
    const [decided] = await ticksOf(id);
    expect(decided).toMatchObject({ outcome: "started" });
    builds.resolve(undefined);
    await slow.settled();
    expect(await ticksOf(id)).toEqual([decided]);
    expect(await query(database, "SELECT FROM journey_runs WHERE schedule_id = $1", [id])).toHaveLength(1);
  });

  it("skips a tick while the run before has not ended, and says so", async () => {
    const organizationId = await addScheduleOrganization(database);
    const id = await addSchedule(organizationId, { ...HOURLY, overlap: "skip" });
    for (const hour of [0, 1]) {
      now = START + hour * HOUR + 1_000;
      await decideAll([scheduler(), scheduler()]);
    }
    const [first, second] = await ticksOf(id);
    expect(first).toMatchObject({ outcome: "started" });
    expect(second).toMatchObject({
      outcome: "skipped",
      reason: `The run before had not ended: ${first?.run_id}.`,
    });
  });

  it("queues one run at most until the run before has ended", async () => {
    const organizationId = await addScheduleOrganization(database);
    const id = await addSchedule(organizationId, { ...HOURLY, overlap: "queue" });
    const both = [scheduler(), scheduler()];
    for (const minutes of [0, 60, 61, 120, 121]) {
      now = START + minutes * MINUTE + 1_000;
      await decideAll(both);
    }
    expect((await ticksOf(id)).map(({ outcome }) => outcome)).toEqual(["started", "skipped"]);
    await endRuns(database, { now });
    await decideAll(both);
    const ticks = await ticksOf(id);
    expect(ticks.map(({ outcome }) => outcome)).toEqual(["started", "skipped", "started"]);
    expect(ticks[2]?.due_at).toEqual(new Date(START + 2 * HOUR));
    expect(await nextEvent(() => HOUR)).toBe(START + 3 * HOUR);
  });

  it("pauses a schedule after 20 runs in a row that did not pass, and counts no cancelled one", async () => {
    const organizationId = await addScheduleOrganization(database);
    const id = await addSchedule(organizationId, { ...HOURLY, overlap: "skip" });
    const outcomes = [
      ...Array.from({ length: 19 }, () => "failed"),
      "cancelled",
      "passed",
      ...Array.from({ length: 20 }, () => "error"),
    ];
    for (const [hour, outcome] of outcomes.entries()) {
      now = START + hour * HOUR + 1_000;
      await decideAll([scheduler()]);
      await endRuns(database, { now, outcome });
    }
    now += DAY;
    await decideAll([scheduler()]);
    expect(await ticksOf(id)).toHaveLength(outcomes.length);
    const [row] = await query(database, "SELECT * FROM journey_schedules WHERE id = $1", [id]);
    expect(row).toMatchObject({
      is_enabled: false,
      failures_in_row: 20,
      next_at: null,
      paused_reason: expect.stringMatching(
        /^20 runs in a row did not pass or could not be started\. The last run, .* ended as error\.$/,
      ),
    });
  });
});
