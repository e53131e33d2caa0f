import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scrape } from "@waymark/test-support/metrics.ts";
import { percentile, recordFigures } from "./support/figures.ts";
import { reckon } from "./support/recount.ts";
import { type RedisOutage, runRedisOutage } from "./support/redis-outage.ts";
import { scaled } from "@waymark/test-support/scale.ts";

/** The short form runs beside other tests, which take the processor from a service now and then. */
const ANSWER_MS_MAX = scaled({ short: 60_000, long: 5_000 });
const PERSISTED_P50_MS_MAX = scaled({ short: 60_000, long: 2_000 });
const END_MS_MAX = scaled({ short: 60_000, long: 10_000 });
const NOTHING_WRONG = { acceptedAndLost: 0, duplicates: 0, notFinal: 0, falseCompleted: 0, failed: 0 };

const KINDS = [
  { kind: "killed", awayMs: scaled({ short: 6_000, long: 60_000 }) },
  { kind: "blocked", awayMs: scaled({ short: 6_000, long: 60_000 }) },
  { kind: "full", awayMs: scaled({ short: 6_000, long: 60_000 }) },
  { kind: "read-only", awayMs: scaled({ short: 6_000, long: 60_000 }) },
] as const;

// All concurrently, each with its own servers and processes, because most of the time is waiting.
const outages = new Map<string, Promise<RedisOutage>>();
beforeAll(() => {
  const afterMs = scaled({ short: 1_500, long: 10_000 });
  for (const { kind, awayMs } of KINDS) {
    const run = runRedisOutage(kind, { awayMs, afterMs });
    outages.set(kind, run);
    // The tests of its kind fail with its error.
    run.catch(() => undefined);
  }
});

describe.each(KINDS)("while Redis is $kind, behind a load balancer,", ({ kind, awayMs }) => {
  let outage: RedisOutage;
  beforeAll(async () => {
    const run = outages.get(kind);
    if (run === undefined) throw new Error(`${kind} was not started`);
    outage = await run;
  });
  afterAll(() => outage[Symbol.asyncDispose]());

  it("every scan is accepted in time, and no api is taken out", () => {
    const { answers, drains } = outage;
    expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
    expect(Math.max(...answers.map(({ tookMs }) => tookMs))).toBeLessThan(ANSWER_MS_MAX);
    expect(drains).toBe(0);
  });

  it("every scan is persisted once before Redis is back", async () => {
    const { answers, persistedAfterMs, sent, unfinished } = outage;
    const result = await reckon(outage, sent);
    const answerMs = answers.map(({ tookMs }) => tookMs);
    recordFigures(`Redis ${kind}, behind a load balancer`, {
      "away (ms)": awayMs,
      "scans sent": sent.length,
      accepted: answers.filter(({ status }) => status === 201).length,
      "answered within (ms, p99)": Math.round(percentile(answerMs, 0.99)),
      "sent while away": persistedAfterMs.length,
      "not persisted when Redis returned": unfinished,
      "from 201 to completed while away (ms, p50)": percentile(persistedAfterMs, 0.5),
      "from 201 to completed while away (ms, p99)": percentile(persistedAfterMs, 0.99),
      "times that an api was taken out": outage.drains,
      "accepted and lost": result.acceptedAndLost,
      "duplicate rows": result.duplicates,
    });
    expect(unfinished).toBe(0);
    expect(percentile(persistedAfterMs, 0.5)).toBeLessThan(PERSISTED_P50_MS_MAX);
    expect(result).toMatchObject({ ...NOTHING_WRONG, completed: sent.length });
  });

  it("processes start, become ready, and end in time", () => {
    expect(outage.ends).toHaveLength(2);
    for (const { code, tookMs } of outage.ends) {
      expect(code).toBe(0);
      expect(tookMs).toBeLessThan(END_MS_MAX);
    }
  });

  it("metrics show it, and once Redis is back, the queue and shared counts are used again, over new connections", async () => {
    const { apis, worker, fault } = outage;
    const value = async ({ metricsPort }: { metricsPort: number }, sample: string) =>
      (await scrape(metricsPort)).value(sample);
    await expect.poll(() => value(worker, "waymark_reconciler_found_total")).toBeGreaterThan(0);
    const usable = () => Promise.all([...apis, worker].map((each) => value(each, "waymark_queue_usable")));
    await expect.poll(usable).toEqual([1, 1, 1]);

    const redis = new Redis(fault.urlAfterwards);
    try {
      const completedJobs = async () => {
        const events = await redis.xrange("bull:scan-persistence:events", outage.endedAt, "+");
        return events.filter(([, fields]) => fields.includes("completed")).length;
      };
      const counters = () => redis.keys("*waymark:limit:ingest:*");
      const jobsBefore = await completedJobs();
      // A counter goes after a minute, and begins anew.
      for (const counter of await counters()) await redis.del(counter);
      await outage.submitFor(0);
      await expect.poll(completedJobs).toBeGreaterThan(jobsBefore);
      await expect.poll(counters).not.toEqual([]);
    } finally {
      redis.disconnect();
    }
    await expect.poll(() => fault.clientsLeftBehind()).toBe(0);
  });

  it.each(["the queue", "the Redis of the rate limits"])(
    "the log has one line when %s goes, and one when it is back",
    async (what) => {
      for (const { service } of outage.apis) {
        const told = (fromMs = 0, toMs = Infinity) =>
          service
            .logLines()
            .filter(({ time }) => Number(time) >= fromMs && Number(time) < toMs)
            .map((line) => String(line["msg"]))
            .filter((line) => line.startsWith(`${what} `) && !line.includes("still"));
        const [goes, isBack] = [`${what} can't be reached`, `${what} can be reached again`];
        await expect.poll(() => told(outage.endedAt)[0]).toBe(isBack);
        expect(told(0, outage.endedAt).at(-1)).toBe(goes);
        // On a busy machine it may seem to be away once more, before or after.
        const all = told();
        expect(all).toEqual(all.map((_, index) => (index % 2 === 0 ? goes : isBack)));
      }
    },
  );
});
