// The entry of the sandbox's process. It carries out one operation at a time and tells when it begins, because loading an
// engine is not the document's fault.
import { Script } from "node:vm";
import { EngineError, EvaluationLimit } from "@waymark/journeys/evaluation/engine-error.ts";
import { createLocalEvaluator } from "@waymark/journeys/evaluation/local-evaluator.ts";
import type { Answer, Task } from "./messages.ts";

/** Ends an evaluation whose parent was killed and can't end it any more. */
const ORPHAN_MS = 10_000;

const send = (answer: Answer) => {
  process.send?.(answer);
};
const evaluator = createLocalEvaluator((work) => {
  send({ kind: "begun" });
  return withinTime(work);
});

// An interrupt from the terminal is for the parent, which may have to tear down.
process.on("SIGINT", () => undefined);
process.on("message", ({ name, args }: Task) => {
  const work: Promise<unknown> = Reflect.apply(evaluator[name], undefined, args);
  work
    .then((value) => {
      send({ kind: "done", value });
    })
    .catch((error: unknown) => {
      send(failure(error));
    });
});

const script = new Script("sandboxWork()");

/** Only a script has a time limit. */
function withinTime<T>(work: () => T): T {
  Object.assign(globalThis, { sandboxWork: work });
  return script.runInThisContext({ timeout: ORPHAN_MS });
}

function failure(error: unknown): Answer {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof EvaluationLimit) return { kind: "limit", message };
  if (error instanceof EngineError) return { kind: "unusable", message };
  return { kind: "fault", message: error instanceof Error ? (error.stack ?? message) : message };
}
