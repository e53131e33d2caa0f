// The entry of a process that carries out runs of one organization, one after another. Besides the targets of its runs, it talks to
// its parent only.
import { flushCompileCache } from "node:module";
import { createSandbox, LIMITS } from "@waymark/journey-sandbox/create-sandbox.ts";
import { giveWay } from "@waymark/journey-sandbox/give-way.ts";
import { CheckpointError } from "@waymark/journeys/checkpoint/checkpoint-error.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { executeRun } from "./execute-run.ts";
import type { RunControl } from "./execute-run.ts";
import type { FromRunner, ToRunner } from "./messages.ts";

/** The time between two heartbeats to the parent. */
const BEAT_MS = 250;
/**
 * A run that has used so much processor time, and a tenth of its duration besides, gives way to all others. A run of 20 steps takes
 * 0.06 s, and 0.13 s in a new process.
 */
const BUSY_MS = 500;
/**
 * The processor time after which an evaluation gives way to all other processes. Its limit is a second, and an ordinary
 * one takes a few milliseconds.
 */
const EVALUATION_MS_MAX = 100;

const sandbox = createSandbox({ ...LIMITS, givesWayAfterMs: EVALUATION_MS_MAX });
let givesWay = false;
const send = (message: FromRunner) => {
  process.send?.(message);
};
let control: RunControl | undefined;

// Signals are for the parent, which may have to drain. Without it nobody holds the run any more.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);
process.on("disconnect", () => process.exit());
process.on("message", (message: ToRunner) => {
  if (message.kind === "run") {
    const isBusy = watchProcessor();
    const beat = setInterval(() => {
      send({ kind: "beat" });
      if (givesWay || !isBusy()) return;
      givesWay = true;
      giveWay(process.pid);
    }, BEAT_MS);
    let isOver = false;
    // Code that a run left behind must not send messages in the name of the next run.
    const sendOfRun = (news: FromRunner) => {
      if (!isOver) send(news);
    };
    const run = executeRun(message.task, { send: sendOfRun, evaluator: sandbox, givesWay: () => givesWay });
    control = run.control;
    run.ended
      .catch((error: unknown) => send({ kind: "fault", message: describeFault(toError(error)) }))
      .finally(() => {
        isOver = true;
        clearInterval(beat);
        control = undefined;
      });
    return;
  }
  control?.(message);
});
send({ kind: "ready" });
// Node writes it when a process ends by itself, and these are killed. The next one takes 0.23 s to start instead of 0.63.
setImmediate(flushCompileCache);

/** Whether the run that begins now has used much processor time. */
function watchProcessor(): () => boolean {
  const [began, before] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 > BUSY_MS + (performance.now() - began) / 10;
  };
}

/** For the log. Without the message of the error, which may quote a value of the run. */
function describeFault(error: Error): string {
  if (error instanceof CheckpointError) return error.message;
  return `${error.name}\n${error.stack?.slice(error.stack.indexOf("\n    at ") + 1) ?? ""}`;
}
