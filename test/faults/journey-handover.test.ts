import { describe, expect, it } from "vitest";
import { startJourneyTarget, thingsJourney } from "@waymark/test-support/journey-target.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import { query } from "@waymark/test-support/sql.ts";
import { recordFigures } from "./support/figures.ts";
import { sentTwice } from "./support/journey-requests.ts";
import { processesOf, signal } from "./support/processes-of.ts";
import { startJourneyStack } from "../journeys/cloud/support/journey-stack.ts";

const DRAINED = scaled({ short: 6, long: 200 });
const WORKERS = scaled({ short: 2, long: 3 });
/** How many runs a worker has at a time. */
const CONCURRENCY = scaled({ short: 2, long: 12 });
/** Runs of one organization at the same time, at most. */
const RUNNING_MAX = 10;
const TIMEOUT_MS = 300_000;

describe("runs of journeys whose worker stops", { timeout: TIMEOUT_MS }, () => {
  it("send and write nothing more after a worker that had stopped goes on, and keep the result of its successor", async () => {
    await using target = await startJourneyTarget();
    await using stack = await startJourneyStack({ allow: `127.0.0.1:${target.port}` });
    const addRun = await stack.addJourney(thingsJourney({ events: 10 }), { server: target.url });
    // Short, so that the run is soon found again, and longer than a busy machine stops a process.
    const env = { WORKER_JOURNEY_LEASE_MS: "10000" };
    const stopped = await stack.startWorker(env);
    const add = target.hold("add3");
    const runId = await addRun();
    await add.reached();
    const processes = [...(await processesOf(stopped.pid)), stopped.pid];
    for (const pid of processes) signal(pid, "SIGSTOP");
    // The stopped process has the answer as soon as it goes on.
    add.release();
    await stack.startWorker(env);
    const row = await stack.ended(runId);
    expect(row).toMatchObject({
      status: "error",
      error_code: "runner-lost",
      phase: "recovery",
      in_doubt_step: "add3",
    });
    expect(target.left()).toEqual([]);
    const sent = target.requests.length;
    for (const pid of processes) signal(pid, "SIGCONT");
    await expect.poll(() => stopped.output()).toContain("a run was lost");
    await stopped.stop();
    expect(target.requests.length).toBe(sent);
    expect(await stack.rowOf(runId)).toEqual(row);
    expect(sentTwice(target.requests)).toEqual([]);
  });

  it(`go over to other workers while these are restarted one by one, ${DRAINED} of them, and none notices`, async () => {
    await using target = await startJourneyTarget();
    await using stack = await startJourneyStack({ allow: `127.0.0.1:${target.port}` });
    const addRuns = await Promise.all(
      [stack.organizationId, await stack.addOrganization()].map((organizationId) =>
        stack.addJourney(thingsJourney({ events: 15 }), { server: target.url, organizationId }),
      ),
    );
    const env = { WORKER_JOURNEY_CONCURRENCY: String(CONCURRENCY) };
    const workers = await Promise.all(Array.from({ length: WORKERS }, () => stack.startWorker(env)));
    const add = target.hold("add1");
    const ids = await Promise.all(
      addRuns.flatMap((addRun) => Array.from({ length: DRAINED / addRuns.length }, () => addRun())),
    );
    await add.reached(Math.min(WORKERS * CONCURRENCY, addRuns.length * RUNNING_MAX));
    // Slow, so that runs are under way however long it takes until a worker hears that it has to stop.
    target.delayMs = 1_000;
    for (const worker of workers) {
      await stack.startWorker(env);
      const stopped = worker.stop();
      add.release();
      await stopped;
    }
    target.delayMs = 20;
    for (const id of ids)
      expect(await stack.ended(id)).toMatchObject({
        status: "passed",
        error_code: null,
        phase: "main",
      });
    expect(sentTwice(target.requests)).toEqual([]);
    expect(target.requests.length).toBe(DRAINED * 18);
    const handedOver = await query(stack, "SELECT DISTINCT run_id FROM journey_run_steps WHERE attempt > 1");
    expect(handedOver.length).toBeGreaterThan(0);
    recordFigures("Workers restarted one by one under journeys", {
      workers: workers.length,
      journeys: DRAINED,
      "handed over to another worker": handedOver.length,
      "ended as error": 0,
      "requests sent twice": 0,
    });
  });

  it("end in the worker that has them where no state can be stored: nothing is sent twice", async () => {
    await using target = await startJourneyTarget();
    await using stack = await startJourneyStack({ allow: `127.0.0.1:${target.port}` });
    const addRun = await stack.addJourney(thingsJourney({ events: 10 }), { server: target.url });
    const withoutKeys = { JOURNEY_KEYS: "" };
    const worker = await stack.startWorker(withoutKeys);
    const add = target.hold("add1");
    const ids = await Promise.all([addRun(), addRun()]);
    await add.reached(ids.length);
    await stack.startWorker(withoutKeys);
    target.delayMs = 300;
    const stopped = worker.stop();
    add.release();
    await stopped;
    for (const id of ids) expect(await stack.ended(id)).toMatchObject({ status: "passed", phase: "main" });
    expect(sentTwice(target.requests)).toEqual([]);
  });
});
