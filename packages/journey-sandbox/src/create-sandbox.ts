import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { isBoundedRegex } from "@waymark/journeys/criteria/regex.ts";
import { EngineError, EvaluationLimit } from "@waymark/journeys/evaluation/engine-error.ts";
import type { Evaluator, Operations } from "@waymark/journeys/evaluation/evaluator.ts";
import { createLocalEvaluator } from "@waymark/journeys/evaluation/local-evaluator.ts";
import { valueSize } from "@waymark/journeys/expressions/value-size.ts";
import type { Answer, Task } from "./messages.ts";

/** What one evaluation may use. */
export interface SandboxLimits {
  ms: number;
  memoryMiB: number;
}

const LIMITS: SandboxLimits = { ms: 1_000, memoryMiB: 48 };
/** Until an engine is loaded: 100 ms on a quiet machine. */
const START_MS = 30_000;
/** A JSON Schema is checked in the parent when compiling it (ajv's time grows faster than the schema) … */
const SMALL_COST = 500;
/** … and checking the value take some 20 ms at most. */
const STEPS_MAX = 1_000_000;

export interface Sandbox extends Evaluator, Disposable {}

/**
 * Evaluates in one process, which is ended when it takes too long or too much memory. It starts when it is needed first, is
 * used again, and ends with its parent. What is certainly cheap is evaluated in the parent.
 */
export function createSandbox(limits: SandboxLimits = LIMITS): Sandbox {
  const local = createLocalEvaluator();
  const sandbox = new SandboxProcess(limits);
  const inProcess =
    <N extends keyof Operations>(name: N) =>
    (...args: Parameters<Operations[N]>): Promise<ReturnType<Operations[N]>> =>
      sandbox.run(name, args);
  const testRegex = inProcess("testRegex");
  const checkSchema = inProcess("checkSchema");
  return {
    testRegex: (pattern, text) =>
      isBoundedRegex(pattern, text) ? local.testRegex(pattern, text) : testRegex(pattern, text),
    checkSchema: (schema, value) => {
      const sizeMax = STEPS_MAX / schema.cost;
      const isSmall = schema.isBounded && schema.cost <= SMALL_COST && valueSize(value, sizeMax) <= sizeMax;
      return isSmall ? local.checkSchema(schema, value) : checkSchema(schema, value);
    },
    findProblem: (type, text, version) =>
      type === "regex" ? local.findProblem(type, text) : sandbox.run("findProblem", [type, text, version]),
    selectJsonPath: inProcess("selectJsonPath"),
    locateJsonPath: inProcess("locateJsonPath"),
    testXPath: inProcess("testXPath"),
    selectXPath: inProcess("selectXPath"),
    replaceXPath: inProcess("replaceXPath"),
    [Symbol.dispose]: () => {
      sandbox.end();
    },
  };
}

/** The process and the queue before it: an evaluation's time begins when it is its turn. */
class SandboxProcess {
  #child: ChildProcess | undefined;
  #last: Promise<unknown> = Promise.resolve();
  readonly #limits: SandboxLimits;

  constructor(limits: SandboxLimits) {
    this.#limits = limits;
  }

  run<T>(name: keyof Operations, args: readonly unknown[]): Promise<T> {
    const turn = this.#last.then(() => this.#evaluate<T>({ name, args }));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  end(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }

  #start(): ChildProcess {
    const entry = import.meta.url.endsWith(".ts") ? "./sandbox-process.ts" : "./sandbox-process.mjs";
    const child = fork(new URL(entry, import.meta.url), {
      env: {},
      execArgv: [`--max-old-space-size=${this.#limits.memoryMiB}`, "--max-semi-space-size=4"],
      // As `postMessage` does: what JSON has no form for is kept.
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    child.once("exit", () => {
      if (this.#child === child) this.#child = undefined;
    });
    return child;
  }

  #evaluate<T>(task: Task): Promise<T> {
    const child = (this.#child ??= this.#start());
    keepAlive(child, true);
    return new Promise<T>((resolve, reject) => {
      const { ms } = this.#limits;
      const settle = () => {
        clearTimeout(timer);
        child.off("message", onMessage).off("exit", onExit).off("error", onError);
        keepAlive(child, false);
      };
      const stop = (error: Error) => {
        settle();
        this.end();
        reject(error);
      };
      const late = () => {
        stop(new EvaluationLimit(`it took longer than ${ms.toLocaleString("en")} ms`));
      };
      let timer = setTimeout(late, START_MS);
      // What a process sends is typed by who sends it: the entry beside this file.
      const onMessage = (answer: Answer & { value: T }) => {
        if (answer.kind === "begun") {
          clearTimeout(timer);
          timer = setTimeout(late, ms);
          return;
        }
        settle();
        if (answer.kind === "done") resolve(answer.value);
        else reject(failureOf(answer));
      };
      // Node ends a process that needs more memory than it may have.
      const onExit = () => {
        stop(new EvaluationLimit(`it needed more than ${this.#limits.memoryMiB} MiB of memory`));
      };
      const onError = (error: Error) => {
        stop(new Error("the sandbox's process can't be used", { cause: error }));
      };
      child.on("message", onMessage).on("exit", onExit).on("error", onError);
      child.send(task, (error) => {
        if (error !== null) onError(error);
      });
    });
  }
}

/** An idle process does not keep its parent waiting, and ends with it. */
function keepAlive(child: ChildProcess, isBusy: boolean): void {
  if (isBusy) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}

function failureOf({ kind, message }: { kind: "unusable" | "limit" | "fault"; message: string }): Error {
  if (kind === "limit") return new EvaluationLimit(message);
  return kind === "unusable" ? new EngineError(message) : new Error(message);
}
