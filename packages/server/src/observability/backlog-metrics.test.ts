import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { registerBacklogMetrics } from "./backlog-metrics.ts";
import type { Backlog } from "./queries.ts";

function setUp(sample: (call: number) => Promise<Backlog>) {
  const registry = new Registry();
  const clock = { ms: 0, calls: 0 };
  registerBacklogMetrics(registry, () => sample(++clock.calls), { now: () => clock.ms });
  const read = async (name: string): Promise<string | undefined> =>
    new RegExp(`^${name} (.*)$`, "m").exec(await registry.metrics())?.[1];
  return { clock, read, unfinished: () => read("waymark_unfinished_scan_runs") };
}

const backlogOf = (unfinished: number): Promise<Backlog> =>
  Promise.resolve({
    scans: { unfinished, oldestAgeSeconds: 7 },
    journeys: { unfinished: 3, waiting: 2, oldestWaitingSeconds: 9 },
  });

describe("the backlog's metrics", () => {
  it("query the database once in ten seconds, regardless of the number of scrapes", async () => {
    const { clock, unfinished } = setUp((call) => backlogOf(call * 10));
    expect(await Promise.all([unfinished(), unfinished(), unfinished()])).toEqual(["10", "10", "10"]);
    clock.ms = 9_999;
    expect(await unfinished()).toBe("10");
    expect(clock.calls).toBe(1);
    clock.ms = 10_000;
    expect(await unfinished()).toBe("20");
    expect(clock.calls).toBe(2);
  });

  it("are those of scans and of journeys", async () => {
    const { read } = setUp(() => backlogOf(5));
    const values = [
      "waymark_unfinished_scan_runs",
      "waymark_oldest_unfinished_scan_run_age_seconds",
      "waymark_unfinished_journey_runs",
      "waymark_waiting_journey_runs",
      "waymark_journey_runs_oldest_waiting_seconds",
    ].map(read);
    expect(await Promise.all(values)).toEqual(["5", "7", "3", "2", "9"]);
  });

  it("show the last figures while a sample takes long, and never query concurrently", async () => {
    const { clock, unfinished } = setUp((call) => (call === 1 ? backlogOf(5) : new Promise(() => undefined)));
    await unfinished();
    clock.ms = 30_000;
    expect(await unfinished()).toBe("5");
    clock.ms = 50_000;
    expect(await unfinished()).toBe("5");
    expect(clock.calls).toBe(2);
  });

  it("show no figure that is older than a minute, and count failures", async () => {
    const { clock, unfinished, read } = setUp((call) =>
      call === 1 ? backlogOf(5) : Promise.reject(new Error("down")),
    );
    await unfinished();
    clock.ms = 60_001;
    expect(await unfinished()).toBe("Nan");
    expect(await read("waymark_backlog_samples_failed_total")).toBe("1");
  });
});
