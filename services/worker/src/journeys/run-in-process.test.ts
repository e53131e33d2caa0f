import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ProgressWriter } from "./progress-writer.ts";
import { type RunningProcess, runInProcess } from "./run-in-process.ts";
import type { RunEnding, RunTask } from "./runner/messages.ts";
import type { Runner } from "./runner/runner-pool.ts";

const TASK: Omit<RunTask, "leaseEndsAt"> = {
  runId: "r",
  artifact: "{}",
  inputs: {},
  secrets: {},
  seed: "s",
  strictContract: false,
  storesBodies: true,
  egress: { allowedHosts: [], operatorAllows: [], own: [] },
  limits: {},
  isCancelled: false,
  onlyTeardown: false,
};
const ENDING: RunEnding = {
  status: "passed",
  outcomeDigest: "",
  result: "{}",
  steps: [],
  stepCount: 0,
  passedStepCount: 0,
  operations: [],
  criteria: [],
};

/** A process that says what the test lets it say, and what it was sent. */
function fakeRunner() {
  const sent: string[] = [];
  const runner: Runner = {
    send: (message) => void sent.push(message.kind),
    onMessage: () => undefined,
    onExit: () => undefined,
    kill: () => void sent.push("killed"),
  };
  return { runner, sent };
}

interface Started extends RunningProcess {
  runner: Runner;
  sent: string[];
  /** Tells the process that a checkpoint was stored, as the writer does. */
  saved: (checkpoint: number) => void;
}

async function start(flush: ProgressWriter["flush"] = () => Promise.resolve(true)): Promise<Started> {
  const { runner, sent } = fakeRunner();
  const pool = {
    acquire: () => Promise.resolve(runner),
    release: (_: Runner, { isReusable }: { isReusable: boolean }) =>
      void sent.push(isReusable ? "released" : "discarded"),
    close: () => undefined,
  };
  let saved: Started["saved"] = () => undefined;
  const running = await runInProcess(pool, {
    organizationId: "o",
    task: TASK,
    leaseEndsAt: () => 0,
    writerOf: (on) => {
      ({ saved } = on);
      return { add: () => undefined, flush, end: () => Promise.resolve([]) };
    },
  });
  return { ...running, runner, sent, saved };
}

describe("a run in a process", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("sends nothing to a process that it gave back: another run has it", async () => {
    const { runner, sent, ended, saved, ...control } = await start();
    runner.onMessage({ kind: "ended", ending: ENDING, memoryBytes: 1, givesWay: false });
    await ended;
    control.extend(1);
    control.cancel();
    control.leave();
    control.lose();
    saved(7);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toEqual(["run", "released"]);
  });

  it("leaves a process alone that it gave back, however long its last state takes to be written", async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const { runner, sent, ended } = await start(() => promise);
    runner.onMessage({ kind: "left" });
    await vi.advanceTimersByTimeAsync(9_000);
    resolve(true);
    expect(await ended).toEqual({ kind: "left" });
    expect(sent).toEqual(["run", "discarded"]);
  });

  it.each<[string, { ending?: Partial<RunEnding>; memoryBytes?: number; givesWay?: boolean }]>([
    ["was cancelled", { ending: { status: "aborted", error: { code: "cancelled", message: "" } } }],
    ["took too long", { ending: { status: "aborted", error: { code: "limit", message: "" } } }],
    ["had a fault of the engine", { ending: { status: "error", error: { code: "internal", message: "" } } }],
    ["left much behind", { memoryBytes: 256 * 1_024 * 1_024 }],
    ["took much processor time", { givesWay: true }],
  ])("gives no other run to a process whose run %s", async (_, { ending, ...rest }) => {
    const { runner, sent, ended } = await start();
    const whole = { ...ENDING, ...ending };
    runner.onMessage({ kind: "ended", ending: whole, memoryBytes: 1, givesWay: false, ...rest });
    await ended;
    expect(sent).toEqual(["run", "discarded"]);
  });

  it("gives a process back whose run failed or did not reach its target", async () => {
    for (const code of [undefined, "unreachable"] as const) {
      const { runner, sent, ended } = await start();
      const error = code === undefined ? {} : { error: { code, message: "" } };
      const ending = { ...ENDING, status: code === undefined ? "failed" : "error", ...error } as const;
      runner.onMessage({ kind: "ended", ending, memoryBytes: 1, givesWay: false });
      await ended;
      expect(sent).toEqual(["run", "released"]);
    }
  });

  it("ends a process that was silent for more than twenty seconds, and none that says something", async () => {
    const { runner, sent, ended } = await start();
    for (let second = 0; second < 60; second++) {
      await vi.advanceTimersByTimeAsync(1_000);
      runner.onMessage({ kind: "beat" });
    }
    expect(sent).toEqual(["run"]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sent).toEqual(["run"]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sent).toEqual(["run", "killed"]);
    runner.onExit();
    expect(await ended).toEqual({ kind: "died", wasSilent: true });
  });

  it("ends no process because this one was stopped for a minute: what it said is read first", async () => {
    const { runner, sent } = await start();
    // As after SIGSTOP and SIGCONT: the clock has gone on, and each timer fires once.
    vi.setSystemTime(Date.now() + 60_000);
    await vi.advanceTimersByTimeAsync(1_000);
    runner.onMessage({ kind: "beat" });
    await vi.advanceTimersByTimeAsync(19_000);
    expect(sent).toEqual(["run"]);
  });

  it("tells a fault of the engine when its process has ended and everything is written", async () => {
    const written: string[] = [];
    const { runner, sent, ended } = await start(() => {
      written.push("flushed");
      return Promise.resolve(true);
    });
    runner.onMessage({ kind: "fault", message: "TypeError" });
    expect(sent).toEqual(["run", "killed"]);
    runner.onExit();
    expect(await ended).toEqual({ kind: "fault", message: "TypeError" });
    expect(written).toEqual(["flushed"]);
  });
});
