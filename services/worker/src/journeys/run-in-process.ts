import { setTimeout as sleep } from "node:timers/promises";
import { monotonicMs } from "./runner/messages.ts";
import type { FromRunner, RunEnding, RunTask, SentStep, ToRunner } from "./runner/messages.ts";
import type { RunnerPool } from "./runner/runner-pool.ts";
import type { ProgressWriter } from "./progress-writer.ts";

/**
 * A process of which nothing was heard in so many checks in a row is ended: something in it blocks. On a machine with more processes
 * than it can run, one that blocks nothing may be silent for 5 s.
 */
const SILENT_CHECKS_MAX = 20;
const CHECK_EVERY_MS = 1_000;
/** All memory of a process after a run; one that keeps more is replaced. */
const MEMORY_BYTES_MAX = 192 * 1_024 * 1_024;
const FLUSH_MS_MAX = 10_000;
const FLUSH_PAUSE_MS = 250;

/** How a run's process ended. `steps` were not written. */
export type ProcessEnd =
  | { kind: "ended"; ending: RunEnding; steps: SentStep[] }
  | { kind: "left" }
  /** A fault of the engine. Its process was ended. */
  | { kind: "fault"; message: string }
  /** It was silent, or it ended by itself: by its limit of memory, or killed by somebody. */
  | { kind: "died"; wasSilent: boolean }
  /** The lease is lost: another worker has the run. */
  | { kind: "lost" };

export interface RunningProcess {
  extend: (endsAt: number) => void;
  cancel: () => void;
  leave: () => void;
  lose: () => void;
  ended: Promise<ProcessEnd>;
}

/** Carries out a run in a process of the pool, which is ended when it is silent or loses its lease. */
// oxlint-disable-next-line max-lines-per-function -- one closure over the process and what it says
export async function runInProcess(
  runners: Pick<RunnerPool, "acquire" | "release">,
  {
    organizationId,
    task,
    leaseEndsAt,
    onProgress,
    writerOf,
  }: {
    organizationId: string;
    task: Omit<RunTask, "leaseEndsAt">;
    /** Asked when the process is ready: its start may take longer than a lease. */
    leaseEndsAt: () => number;
    onProgress?: ((progress: Extract<FromRunner, { kind: "progress" }>) => void) | undefined;
    writerOf: (on: { saved: (checkpoint: number) => void; lost: () => void }) => ProgressWriter;
  },
): Promise<RunningProcess> {
  const runner = await runners.acquire(organizationId);
  const ended = Promise.withResolvers<ProcessEnd>();
  // Once it has ended or is given back, another run may have it: nothing is sent to it any more.
  let isOurs = true;
  let silentChecks = 0;
  let wasSilent = false;
  let fault: string | undefined;
  // Counted, not timed: where this process itself was stopped for a while, what the other one said has yet to be read.
  const watch = setInterval(() => {
    if (!isOurs || ++silentChecks <= SILENT_CHECKS_MAX) return;
    wasSilent = true;
    runner.kill();
  }, CHECK_EVERY_MS);
  const giveBack = (isReusable: boolean) => {
    isOurs = false;
    runners.release(runner, { isReusable });
  };
  const send = (message: ToRunner) => {
    if (isOurs) runner.send(message);
  };
  const lose = () => {
    ended.resolve({ kind: "lost" });
    if (isOurs) runner.kill();
  };
  const writer = writerOf({ saved: (checkpoint) => send({ kind: "saved", checkpoint }), lost: lose });
  runner.onExit = () => {
    isOurs = false;
    void flushAll(writer).then(() =>
      ended.resolve(fault === undefined ? { kind: "died", wasSilent } : { kind: "fault", message: fault }),
    );
  };
  runner.onMessage = (message) => {
    silentChecks = 0;
    if (message.kind === "progress") {
      onProgress?.(message);
      writer.add(message);
      if (message.isUrgent) void writer.flush();
    } else if (message.kind === "fault") {
      fault = message.message;
      runner.kill();
    } else if (message.kind === "left") {
      giveBack(false);
      // Given back with an older checkpoint, the run would repeat steps: rather its lease runs out.
      void flushAll(writer).then((isWritten) => ended.resolve({ kind: isWritten ? "left" : "lost" }));
    } else if (message.kind === "ended") {
      giveBack(mayCarryOutMore(message));
      void writer.end().then((steps) => ended.resolve({ kind: "ended", ending: message.ending, steps }));
    }
  };
  runner.send({ kind: "run", task: { ...task, leaseEndsAt: leaseEndsAt() } });
  return {
    extend: (endsAt) => send({ kind: "lease", endsAt }),
    cancel: () => send({ kind: "cancel" }),
    leave: () => send({ kind: "leave" }),
    lose,
    ended: ended.promise.finally(() => {
      clearInterval(watch);
      void writer.end();
    }),
  };
}

/**
 * A process carries out no other run after one that was stopped or that had a fault, when it keeps too much, or when it gives way to
 * others, which can't be undone.
 */
function mayCarryOutMore({ ending, memoryBytes, givesWay }: Extract<FromRunner, { kind: "ended" }>): boolean {
  const { status, error } = ending;
  return !givesWay && memoryBytes <= MEMORY_BYTES_MAX && status !== "aborted" && error?.code !== "internal";
}

/** Tries for a while: the database may be restarting. */
async function flushAll(writer: ProgressWriter): Promise<boolean> {
  const end = monotonicMs() + FLUSH_MS_MAX;
  while (!(await writer.flush())) {
    if (monotonicMs() > end) return false;
    await sleep(FLUSH_PAUSE_MS);
  }
  return true;
}
