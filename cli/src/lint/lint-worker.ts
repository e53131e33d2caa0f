import { parentPort, workerData } from "node:worker_threads";
import { CliError } from "../lib/cli-error.ts";
import type { LintMessage, LintTask } from "./lint-messages.ts";
import { runRules } from "./run-rules.ts";
import { createWatch } from "./watch.ts";

/** The memory of the watch. */
const memory: SharedArrayBuffer = workerData;
const send = (message: LintMessage): void => parentPort?.postMessage(message);

const watch = createWatch(memory, (named) => {
  send({ type: "named", ...named });
});
watch.watchPatterns();
parentPort?.on("message", (task: LintTask) => {
  void lint(task).then(send);
});

async function lint(task: LintTask): Promise<LintMessage> {
  try {
    const onRead = (file: string): void => {
      send({ type: "read", file });
    };
    const onStart = (): void => {
      send({ type: "started" });
    };
    return { type: "done", ...(await runRules(task, { watch, onStart, onRead })) };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { exitCode, message, details } = error;
    return { type: "refused", exitCode, message, details };
  }
}
