import { type ChildProcess, fork } from "node:child_process";
import { Clock } from "./clock.ts";
import { createBudget, processorTimeMs, type TimeLimits } from "./time-budget.ts";
import type { Reply, Request, Work, WorkName } from "./messages.ts";

/** The limits of documents. Their time is that without reading files. */
export interface CompilerLimits extends TimeLimits {
  /** For all documents of a task together. */
  taskMs: number;
  memoryMiB: number;
}

/** The bytes of a document by its path; undefined where there is none. */
export type ReadDocument = (path: string) => Promise<Uint8Array | undefined>;

/** A document that took too much: what it would have come to is not known. The message completes "it …". */
export class DocumentLimit extends Error {}

type Task = Extract<Request, { kind: "task" }>;

interface TaskOptions<T> {
  read: ReadDocument;
  onResult: (result: T) => void;
  /** When the task's time is used up, as `performance.now` counts. */
  deadline: number;
}

/** The limits until the process has loaded its modules, which is not the document's fault. */
const START_LIMITS = { ms: 30_000, wallMs: 120_000 };

/** The most bytes of a file in one message. */
const PART_BYTES = 1024 * 1024;

/** A process that works on one task at a time, and is ended when a document takes too long or too much memory. */
export class CompilerChild implements Disposable {
  #child: ChildProcess | undefined;
  readonly #limits: CompilerLimits;
  readonly #processorTime: typeof processorTimeMs;

  constructor(limits: CompilerLimits, processorTime = processorTimeMs) {
    this.#limits = limits;
    this.#processorTime = processorTime;
  }

  /**
   * Works on documents in order; they share what is read. A document that exceeds a limit ends the process: its result is the
   * limit, and those behind it are worked on by a new process.
   *
   * @throws Error for a fault of the process or of `read`
   */
  async run<N extends WorkName>(
    name: N,
    documents: readonly Work[N]["document"][],
    read: ReadDocument,
  ): Promise<(Work[N]["result"] | DocumentLimit)[]> {
    const results: (Work[N]["result"] | DocumentLimit)[] = [];
    const onResult = (result: Work[N]["result"]) => results.push(result);
    const deadline = performance.now() + this.#limits.taskMs;
    while (results.length < documents.length) {
      if (performance.now() >= deadline) {
        results.push(new DocumentLimit("the documents before it took too long"));
        continue;
      }
      const task: Task = { kind: "task", name, documents: documents.slice(results.length) };
      try {
        await this.#work<Work[N]["result"]>(task, { read, onResult, deadline });
      } catch (error) {
        this[Symbol.dispose]();
        if (!(error instanceof DocumentLimit)) throw error;
        results.push(error);
      }
    }
    return results;
  }

  /** Starts the process before there is work for it. */
  warm(): void {
    this.#child ??= this.#start();
  }

  [Symbol.dispose](): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }

  #start(): ChildProcess {
    const child = fork(new URL("./compiler-process.ts", import.meta.url), {
      env: {},
      execArgv: [`--max-old-space-size=${this.#limits.memoryMiB}`, "--max-semi-space-size=16"],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    child.once("exit", () => {
      if (this.#child === child) this.#child = undefined;
    });
    return child;
  }

  /** @throws DocumentLimit for the document at which the process ended */
  async #work<T>(task: Task, { read, onResult, deadline }: TaskOptions<T>): Promise<void> {
    const { memoryMiB } = this.#limits;
    const child = (this.#child ??= this.#start());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const processorMs = () => this.#processorTime(child.pid);
    const budget = createBudget(this.#limits, {
      processorMs,
      taskLeftMs: () => deadline - performance.now(),
    });
    const start = createBudget(START_LIMITS, { processorMs, taskLeftMs: () => Number.POSITIVE_INFINITY });
    let left = task.documents.length;
    let hasBegun = false;
    const clock = new Clock(() => {
      const more = (hasBegun ? budget : start).extend();
      if (typeof more === "number") clock.begin(more);
      else reject(hasBegun ? new DocumentLimit(more) : new Error(`the compiler did not start: ${more}`));
    });
    const answer = async ({ id, path }: { id: number; path: string }) => {
      if (!hasBegun) clock.begin(budget.begin());
      hasBegun = true;
      clock.pause();
      await postFile(child, id, await read(path));
      clock.resume();
    };
    // The name of the work determines the type of the process's reply.
    const onMessage = (reply: Reply & { value: T }) => {
      if (reply.kind === "read") answer(reply).catch(reject);
      else if (reply.kind === "fault") reject(new Error(`the compiler failed: ${reply.message}`));
      else {
        onResult(reply.value);
        clock.begin(budget.begin());
        if (--left === 0) resolve();
      }
    };
    // Node ends a process that needs more memory than it may have.
    const onExit = () => {
      reject(new DocumentLimit(`it needed more than ${memoryMiB} MiB of memory`));
    };
    child.on("message", onMessage).on("exit", onExit).on("error", reject);
    clock.begin(start.begin());
    try {
      post(child, task);
      await promise;
    } finally {
      clock.end();
      child.off("message", onMessage).off("exit", onExit).off("error", reject);
    }
  }
}

/** Sends a file in parts, so that this process does other work between them: copying 16 MB at once takes 0.1 s. */
async function postFile(child: ChildProcess, id: number, bytes: Uint8Array | undefined): Promise<void> {
  let left = bytes;
  while (left !== undefined && left.length > PART_BYTES && child.connected) {
    const part: Request = { kind: "part", id, bytes: left.subarray(0, PART_BYTES) };
    left = left.subarray(PART_BYTES);
    await new Promise((resolve) => child.send(part, resolve));
  }
  post(child, { kind: "file", id, bytes: left });
}

/** If the process has ended, its exit tells. */
function post(child: ChildProcess, request: Request): void {
  if (child.connected) child.send(request, () => undefined);
}
