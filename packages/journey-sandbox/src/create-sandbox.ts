import type { ChildProcess } from "node:child_process";
import { dirname } from "node:path";
import { isBoundedRegex } from "@waymark/journeys/evaluation/regex.ts";
import { budgetSpent } from "@waymark/journeys/evaluation/budget.ts";
import type { EvaluationBudget } from "@waymark/journeys/evaluation/budget.ts";
import { EngineError, EvaluationLimit } from "@waymark/journeys/expressions/engine-error.ts";
import type { Evaluator, Operations } from "@waymark/journeys/evaluation/evaluator.ts";
import { createLocalEvaluator } from "@waymark/journeys/evaluation/local-evaluator.ts";
import { valueSize } from "@waymark/journeys/expressions/value-size.ts";
import { giveWay } from "./give-way.ts";
import type { Answer, Task } from "./messages.ts";

/** The limits of one evaluation. */
export interface SandboxLimits {
  /**
   * Milliseconds of processor time, where the system tells it: on a busy machine, others may have the processor for
   * most of the time.
   */
  ms: number;
  memoryMiB: number;
  /** Processor time of an evaluation, after which the process, and those after it, give way to all others. On Linux only. */
  givesWayAfterMs?: number;
}

export const LIMITS: SandboxLimits = { ms: 1_000, memoryMiB: 48 };
/** The time between two looks at the processor time of an evaluation. */
const LOOK_MS = 20;
/** An evaluation ends after so many times its processor time in any case. */
const WALL_FACTOR = 15;
/** The maximum time until an engine is loaded: 100 ms on a quiet machine. */
const START_MS = 30_000;
/** A JSON Schema is checked in the parent when compiling it (ajv's time grows faster than the schema) … */
const SMALL_COST = 500;
/** … and checking the value take some 20 ms at most. */
const STEPS_MAX = 1_000_000;

export interface Sandbox extends Evaluator, Disposable {}

/**
 * Evaluates in one process, which is killed if it takes too long or too much memory. It starts on first use, is reused, and
 * ends with its parent. Evaluations that are cheap in any case run in the parent.
 */
export function createSandbox(limits: SandboxLimits = LIMITS): Sandbox {
  const local = createLocalEvaluator();
  const sandbox = new SandboxProcess(limits);
  return {
    ...evaluatorOf(sandbox, local, undefined),
    [Symbol.dispose]: () => {
      sandbox.end();
    },
  };
}

function evaluatorOf(
  sandbox: SandboxProcess,
  local: Evaluator,
  budget: EvaluationBudget | undefined,
): Evaluator {
  const inProcess =
    <N extends keyof Operations>(name: N) =>
    (...args: Parameters<Operations[N]>): Promise<ReturnType<Operations[N]>> =>
      sandbox.run({ name, args }, budget);
  const testRegex = inProcess("testRegex");
  const checkSchema = inProcess("checkSchema");
  const findProblem = inProcess("findProblem");
  return {
    within: (own) => evaluatorOf(sandbox, local.within(own), own),
    testRegex: (pattern, text) =>
      isBoundedRegex(pattern, text) ? local.testRegex(pattern, text) : testRegex(pattern, text),
    checkSchema: (schema, value) => {
      const sizeMax = STEPS_MAX / schema.cost;
      const isSmall = schema.isBounded && schema.cost <= SMALL_COST && valueSize(value, sizeMax) <= sizeMax;
      return isSmall ? local.checkSchema(schema, value) : checkSchema(schema, value);
    },
    findProblem: (type, text, version) =>
      type === "regex" ? local.findProblem(type, text) : findProblem(type, text, version),
    selectJsonPath: inProcess("selectJsonPath"),
    locateJsonPath: inProcess("locateJsonPath"),
    testXPath: inProcess("testXPath"),
    selectXPath: inProcess("selectXPath"),
    replaceXPath: inProcess("replaceXPath"),
  };
}

/** The process and its queue: an evaluation's time begins when it leaves the queue. */
class SandboxProcess {
  #child: ChildProcess | undefined;
  #givesWay = false;
  #last: Promise<unknown> = Promise.resolve();
  readonly #limits: SandboxLimits;

  constructor(limits: SandboxLimits) {
    this.#limits = limits;
  }

  run<T>(task: Task, budget: EvaluationBudget | undefined): Promise<T> {
    const turn = this.#last.then(() => this.#evaluate<T>(task, budget));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  end(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }

  #start(): ChildProcess {
    // Loaded late: most journeys start no process.
    const { fork } = process.getBuiltinModule("node:child_process");
    const entry = import.meta.url.endsWith(".ts") ? "./sandbox-process.ts" : "./sandbox-process.mjs";
    const child = fork(new URL(entry, import.meta.url), {
      env: compileCache(),
      execArgv: [`--max-old-space-size=${this.#limits.memoryMiB}`, "--max-semi-space-size=4"],
      // Like `postMessage`, it keeps values that JSON can't express.
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    if (this.#givesWay && child.pid !== undefined) giveWay(child.pid);
    child.once("exit", () => {
      if (this.#child === child) this.#child = undefined;
    });
    return child;
  }

  /** Looks at an evaluation until it is over. */
  #watch({ pid }: ChildProcess, before: number): NodeJS.Timeout | undefined {
    const { givesWayAfterMs } = this.#limits;
    if (givesWayAfterMs === undefined || this.#givesWay || pid === undefined) return undefined;
    const watch = setInterval(() => {
      if ((processorMs(pid) ?? 0) - before < givesWayAfterMs) return;
      clearInterval(watch);
      this.#givesWay = true;
      giveWay(pid);
    }, LOOK_MS);
    return watch;
  }

  #late(ms: number, budget: EvaluationBudget | undefined): EvaluationLimit {
    if (budget !== undefined && ms < this.#limits.ms) return budgetSpent(budget);
    return new EvaluationLimit(`it took longer than ${ms.toLocaleString("en")} ms`);
  }

  // oxlint-disable-next-line max-lines-per-function -- one closure over an evaluation
  async #evaluate<T>(task: Task, budget: EvaluationBudget | undefined): Promise<T> {
    if (budget !== undefined && budget.leftMs <= 0) throw budgetSpent(budget);
    const child = (this.#child ??= this.#start());
    keepAlive(child, true);
    const ms = Math.min(this.#limits.ms, budget?.leftMs ?? Number.POSITIVE_INFINITY);
    return new Promise<T>((resolve, reject) => {
      let begun: { at: number; processorMs: number } | undefined;
      let isSettled = false;
      let watch: NodeJS.Timeout | undefined;
      const settle = (took: number) => {
        isSettled = true;
        clearTimeout(timer);
        clearInterval(watch);
        if (budget !== undefined) budget.leftMs -= took;
        child.off("message", onMessage).off("exit", onExit).off("error", onError);
        keepAlive(child, false);
      };
      const stop = (error: Error) => {
        settle(begun === undefined ? 0 : Math.min(ms, performance.now() - begun.at));
        this.end();
        reject(error);
      };
      // Where this process itself was stopped for a while, the answer may be there already, and is read first.
      const late = () => {
        setImmediate(() => {
          if (isSettled) return;
          const left = begun === undefined ? 0 : timeLeft(child, begun, ms);
          if (left > 0) timer = setTimeout(late, left);
          else stop(this.#late(ms, budget));
        });
      };
      let timer = setTimeout(late, START_MS);
      // The messages are typed, because the process runs the script beside this file.
      const onMessage = (answer: Answer & { value: T }) => {
        if (answer.kind === "begun") {
          clearTimeout(timer);
          begun = { at: performance.now(), processorMs: answer.processorMs };
          watch = this.#watch(child, answer.processorMs);
          timer = setTimeout(late, ms);
          return;
        }
        settle(answer.ms);
        if (answer.kind === "done") resolve(answer.value);
        else reject(failureOf(answer));
      };
      // Node ends a process that exceeds its memory limit.
      const onExit = () =>
        stop(new EvaluationLimit(`it needed more than ${this.#limits.memoryMiB} MiB of memory`));
      const onError = (error: Error) =>
        stop(new Error("the sandbox's process can't be used", { cause: error }));
      child.on("message", onMessage).on("exit", onExit).on("error", onError);
      child.send(task, (error) => {
        if (error !== null) onError(error);
      });
    });
  }
}

/** Returns how long an evaluation that has taken `ms` by the clock may go on. */
function timeLeft({ pid }: ChildProcess, begun: { at: number; processorMs: number }, ms: number): number {
  if (performance.now() - begun.at >= WALL_FACTOR * ms) return 0;
  const used = processorMs(pid);
  return used === undefined ? 0 : Math.ceil(ms - (used - begun.processorMs));
}

/** Returns the milliseconds of processor time that a process has used; undefined except on Linux. */
function processorMs(pid: number | undefined): number | undefined {
  try {
    const stat = process.getBuiltinModule("node:fs").readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program, in parentheses, may contain anything. Times are in hundredths of a second.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return undefined;
  }
}

/** The sandbox keeps compiled code where this process does: most of a start is compiling the engines. */
function compileCache(): Record<string, string> {
  const { getCompileCacheDir } = process.getBuiltinModule("node:module");
  // Node 20 has none. The folder is that of this version of Node, in the one that was configured.
  const folder = (getCompileCacheDir as typeof getCompileCacheDir | undefined)?.();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/** An idle process doesn't keep its parent alive, and ends with it. */
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
