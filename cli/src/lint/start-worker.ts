import { Worker } from "node:worker_threads";
import type { LintMessage } from "./lint-messages.ts";
import { WATCH_BYTES } from "./watch.ts";

/** A thread that lints one description at a time. */
export interface LintWorker {
  thread: Worker;
  /** The memory of its watch. */
  memory: SharedArrayBuffer;
  /** The names of rules and the texts of patterns, by the numbers of its watch. */
  names: ReadonlyMap<number, string>;
}

/**
 * Starts a worker, with the environment as it is now.
 * @param print gets what plugins print; a worker that has it keeps the process running until it is ended
 */
export function startWorker(print?: (text: string) => void): LintWorker {
  const memory = new SharedArrayBuffer(WATCH_BYTES);
  const entry = import.meta.url.endsWith(".ts") ? "./lint-worker.ts" : "./lint-worker.mjs";
  const thread = new Worker(new URL(entry, import.meta.url), {
    workerData: memory,
    execArgv: [],
    stdout: print !== undefined,
    stderr: print !== undefined,
  });
  const names = new Map<number, string>();
  thread.on("message", (message: LintMessage) => {
    if (message.type === "named") names.set(message.index, message.text);
  });
  if (print !== undefined) {
    for (const stream of [thread.stdout, thread.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        print(chunk.toString());
      });
    }
  }
  return { thread, memory, names };
}
