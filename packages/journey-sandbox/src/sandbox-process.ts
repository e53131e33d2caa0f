// The entry of the sandbox's process. It runs one operation at a time, and reports when it begins, because loading an engine
// doesn't count towards the limit.
import module from "node:module";
import { Script } from "node:vm";
import { EngineError, EvaluationLimit } from "@waymark/journeys/expressions/engine-error.ts";
import { createLocalEvaluator } from "@waymark/journeys/evaluation/local-evaluator.ts";
import type { Answer, Task } from "./messages.ts";

/** Ends an evaluation whose parent was killed. */
const ORPHAN_MS = 30_000;

/** Node 20 has none. */
const { flushCompileCache } = module as Partial<typeof module>;
const send = (answer: Answer) => {
  process.send?.(answer);
};
/** When the evaluation began, and what this process had used by then. */
let began: { at: number; processorMs: number } | undefined;
const evaluator = createLocalEvaluator((work) => {
  // Node writes it when a process ends by itself, and this one is killed. There is something to write where an engine was loaded.
  flushCompileCache?.();
  began = { at: performance.now(), processorMs: processorMs() };
  send({ kind: "begun", processorMs: began.processorMs });
  return withinTime(work);
});

// Ignores an interrupt from the terminal: the parent handles it, and may have to run a teardown.
process.on("SIGINT", () => undefined);
process.on("message", ({ name, args }: Task) => {
  began = undefined;
  const work: Promise<unknown> = Reflect.apply(evaluator[name], undefined, args);
  work
    .then((value) => {
      send({ kind: "done", value, ms: msTaken() });
    })
    .catch((error: unknown) => {
      send({ ...failure(error), ms: msTaken() });
    });
});

const script = new Script("sandboxWork()");

/** Only a script has a time limit. */
function withinTime<T>(work: () => T): T {
  Object.assign(globalThis, { sandboxWork: work });
  return script.runInThisContext({ timeout: ORPHAN_MS });
}

/** Not the time in which other processes had the processor, and not that of other threads of this one. */
function msTaken(): number {
  if (began === undefined) return 0;
  return Math.min(performance.now() - began.at, processorMs() - began.processorMs);
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function failure(error: unknown): { kind: "unusable" | "limit" | "fault"; message: string } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof EvaluationLimit) return { kind: "limit", message };
  if (error instanceof EngineError) return { kind: "unusable", message };
  return { kind: "fault", message: error instanceof Error ? (error.stack ?? message) : message };
}
