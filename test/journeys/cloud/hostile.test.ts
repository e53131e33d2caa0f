import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  startJourneyTarget,
  thingsJourney,
  type TargetRequest,
} from "@waymark/test-support/journey-target.ts";
import { cleanEnvironment, COMPILE_CACHE } from "@waymark/test-support/run-node.ts";
import { isLong, scaled } from "@waymark/test-support/scale.ts";
import { percentile, recordFigures } from "../../faults/support/figures.ts";
import { HOSTILE_ANSWERS } from "./support/hostile-answers.ts";
import { type CloudCase, hostileCases } from "./support/hostile-cases.ts";
import { type JourneyStack, startJourneyStack } from "./support/journey-stack.ts";

/** Each run that is at work at the same time takes a process, whose start takes time of a processor. */
const CONCURRENCY = scaled({ short: "4", long: "12" });
/** Runs of the other organization, both without hostile ones and beside them. */
const NEIGHBOURS = scaled({ short: 2, long: 60 });
const EVENTS = 20;
const DELAY_MS = 10;
/** On a machine that is busy with other tests, a process of low priority may take as long as a run may. */
const ENDED_WITHIN_MS = scaled({ short: 400_000, long: 90_000 });

let target: ChildProcess;
let port = 0;
let cases: CloudCase[];

beforeAll(async () => {
  cases = await hostileCases();
  target = fork(path.join(import.meta.dirname, "support/hostile-target.ts"), {
    env: cleanEnvironment({ ...COMPILE_CACHE, WAYMARK_FAULTS: isLong ? "long" : "" }),
  });
  [port] = await once(target, "message");
});
afterAll(() => target.kill());

async function startAll(stack: JourneyStack): Promise<{ what: string; runId: string }[]> {
  const started: { what: string; runId: string }[] = [];
  for (const [at, { what, files, inputs }] of cases.entries()) {
    const url = `http://127.0.0.1:${port}/${at}`;
    // Some don't compile: there is nothing to run.
    const addRun = await stack.addJourney(files, { server: url }).catch(() => undefined);
    if (addRun !== undefined) started.push({ what, runId: await addRun(inputs) });
  }
  return started;
}

/** Between an answer and the next request of the same run, in milliseconds. */
function overheadsOf(requests: readonly TargetRequest[]): number[] {
  const last = new Map<string, number>();
  return requests.flatMap(({ run, at }) => {
    const before = last.get(run);
    last.set(run, at);
    return before === undefined ? [] : [at - before - DELAY_MS];
  });
}

describe("a worker that is given what is made to take more than there is", { timeout: 900_000 }, () => {
  it("ends each run within its limits, keeps running, and serves the neighbours", async () => {
    await using neighbours = await startJourneyTarget({ delayMs: DELAY_MS });
    await using stack = await startJourneyStack({ allow: `127.0.0.1:${neighbours.port},127.0.0.1:${port}` });
    const worker = await stack.startWorker({ WORKER_JOURNEY_CONCURRENCY: CONCURRENCY });
    const neighbour = await stack.addJourney(thingsJourney({ events: EVENTS }), {
      server: neighbours.url,
      organizationId: await stack.addOrganization(),
    });
    const runNeighbours = async () => {
      const from = neighbours.requests.length;
      for (let n = 0; n < NEIGHBOURS; n++)
        expect(await stack.ended(await neighbour())).toMatchObject({ status: "passed" });
      return overheadsOf(neighbours.requests.slice(from));
    };
    const quiet = await runNeighbours();
    const runs = await startAll(stack);
    const beside = await runNeighbours();
    const faults: string[] = [];
    for (const { what, runId } of runs) {
      const { error_code: code, error_message: message } = await stack.ended(runId, {
        timeoutMs: ENDED_WITHIN_MS,
      });
      if (code === "internal") faults.push(`${what}: ${message}`);
    }
    expect(faults).toEqual([]);
    expect(runs.length).toBeGreaterThan(Object.keys(HOSTILE_ANSWERS).length);
    // One process from the beginning to the end, with nothing that it could not handle.
    expect(worker.output()).not.toMatch(/"level":(50|60)/);
    expect(await stack.ended(await neighbour())).toMatchObject({ status: "passed" });
    const [before, after] = [percentile(quiet, 0.99), percentile(beside, 0.99)];
    recordFigures("Journeys beside hostile ones", {
      "hostile runs": runs.length,
      "not ended within their limits": 0,
      "restarts of the worker": 0,
      "a neighbour's overhead per step in the quiet, p99 (ms)": Number(before.toFixed(1)),
      "the same beside them, p99 (ms)": Number(after.toFixed(1)),
    });
    // Speed is measured in the long form: in the short one, other tests are the hostile neighbours.
    expect(after).toBeLessThan(scaled({ short: Number.POSITIVE_INFINITY, long: 2 * before }));
  });
});
