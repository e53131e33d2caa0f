import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism } from "node:os";
import type { FromRunner, ToRunner } from "./messages.ts";

/** The memory for the values that a run keeps at one time; Node ends a process that needs more. */
const MEMORY_MIB = 128;
/**
 * After so many runs a process is replaced, so that what leaks is bounded. With 100, starting processes and compiling their code
 * took most of the processor time of short journeys; the heap after 10,000 journeys is that after 1,000.
 */
const RUNS_MAX = 2_000;
/** The maximum time until a process is ready: 0.2 s on a quiet machine. */
const START_MS = 60_000;
/**
 * The maximum number of processes that start at a time. More would take the processor from runs: a start takes 0.1 s of
 * it, and an organization may need ten at once.
 */
const STARTS_MAX = Math.max(1, Math.floor(availableParallelism() / 2));
/** A process that no run needed for so long is ended. */
const IDLE_MS = 30_000;

/** A process that carries out one run at a time. */
export interface Runner {
  send: (message: ToRunner) => void;
  /** Set by whoever has the runner. `onExit` is called once, when the process has ended, whatever the reason. */
  onMessage: (message: FromRunner) => void;
  onExit: () => void;
  /** Ends it at once. */
  kill: () => void;
}

export interface RunnerPool {
  /** A process that has carried out runs of this organization only, or none. */
  acquire: (organizationId: string) => Promise<Runner>;
  /** Gives back a runner whose run ended by itself. Any other is killed. */
  release: (runner: Runner, options: { isReusable: boolean }) => void;
  /** Returns the numbers of processes that carry out a run, and that don't. */
  processes: () => { busy: number; idle: number };
  close: () => void;
}

/**
 * Processes for runs. A process carries out runs of one organization, one after another: starting one takes as much processor time as
 * hundreds of short steps. One that belongs to no organization yet is ready, so that a start is not part of a run.
 *
 * @param processesMax where there would be more, those that have been idle for the longest time are ended
 */
// oxlint-disable-next-line max-lines-per-function -- one closure over the processes
export function createRunnerPool({
  env,
  processesMax,
}: {
  env: Record<string, string>;
  processesMax: number;
}): RunnerPool {
  /** The one that was used last is at the end. */
  const idle: RunnerProcess[] = [];
  const alive = new Set<RunnerProcess>();
  /** Settled when the process is ready or has ended. */
  const starts = new Set<Promise<void>>();
  let isClosed = false;
  const remove = (runner: RunnerProcess) => {
    const at = idle.indexOf(runner);
    if (at !== -1) idle.splice(at, 1);
  };
  const end = (runner: RunnerProcess) => {
    remove(runner);
    alive.delete(runner);
    runner.kill();
  };
  const wait = (runner: RunnerProcess) => {
    runner.onMessage = () => undefined;
    runner.onExit = () => remove(runner);
    runner.idleSince = performance.now();
    idle.push(runner);
  };
  const create = () => {
    const surplus = alive.size + 1 - processesMax;
    for (const runner of idle.slice(0, Math.max(0, surplus))) end(runner);
    const runner = new RunnerProcess(env, () => alive.delete(runner));
    alive.add(runner);
    const start = runner
      .ready()
      .catch(() => undefined)
      .finally(() => starts.delete(start));
    starts.add(start);
    return runner;
  };
  const findIdle = (organizationId: string | undefined) =>
    idle.findLast((runner) => runner.organizationId === organizationId);
  const addSpare = () => {
    if (!isClosed && findIdle(undefined) === undefined) wait(create());
  };
  const shrink = setInterval(() => {
    const isOld = ({ organizationId, idleSince }: RunnerProcess) =>
      organizationId !== undefined && performance.now() - idleSince > IDLE_MS;
    for (const runner of idle.filter(isOld)) end(runner);
  }, IDLE_MS / 2).unref();
  addSpare();
  return {
    async acquire(organizationId) {
      let found = findIdle(organizationId) ?? findIdle(undefined);
      while (found === undefined && starts.size >= STARTS_MAX) {
        await Promise.race(starts);
        found = findIdle(organizationId) ?? findIdle(undefined);
      }
      const runner = found ?? create();
      remove(runner);
      runner.organizationId = organizationId;
      await runner.ready();
      runner.runs++;
      // After the run was sent: the start of a process takes the processor for a while.
      setTimeout(addSpare, 100).unref();
      return runner;
    },
    release(runner, { isReusable }) {
      // It may have ended meanwhile.
      if (!(runner instanceof RunnerProcess) || !alive.has(runner)) return;
      wait(runner);
      if (isClosed || !isReusable || runner.runs >= RUNS_MAX) end(runner);
    },
    processes: () => ({ busy: alive.size - idle.length, idle: idle.length }),
    close() {
      isClosed = true;
      clearInterval(shrink);
      for (const runner of idle.splice(0)) end(runner);
    },
  };
}

class RunnerProcess implements Runner {
  onMessage: Runner["onMessage"] = () => undefined;
  onExit: Runner["onExit"] = () => undefined;
  runs = 0;
  /** The organization of its runs. */
  organizationId: string | undefined;
  idleSince = 0;
  readonly #child: ChildProcess;
  readonly #ready = Promise.withResolvers<void>();

  constructor(env: Record<string, string>, onGone: () => void) {
    this.#child = fork(new URL("./runner-process.ts", import.meta.url), {
      env,
      execArgv: [`--max-old-space-size=${MEMORY_MIB}`],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const late = setTimeout(() => this.kill(), START_MS);
    const failed = () => {
      clearTimeout(late);
      onGone();
      this.#ready.reject(new Error("a process for journeys could not be started"));
      const { onExit } = this;
      this.onExit = () => undefined;
      onExit();
    };
    this.#child.on("message", (message: FromRunner) => {
      if (message.kind !== "ready") return this.onMessage(message);
      clearTimeout(late);
      this.#ready.resolve();
    });
    this.#child.once("exit", failed).on("error", failed);
    this.#ready.promise.catch(() => undefined);
  }

  ready(): Promise<void> {
    return this.#ready.promise;
  }

  send(message: ToRunner): void {
    // It may have ended just now: its exit is told by `onExit`.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}
