import { AppError } from "../../errors/app-error.ts";
import {
  CompilerChild,
  type CompilerLimits,
  type DocumentLimit,
  type ReadDocument,
} from "./compiler-child.ts";
import type { Work, WorkName } from "./messages.ts";

export interface CompilerOptions {
  /** How many processes there are at most. */
  processes?: number;
  limits?: CompilerLimits;
}

/** Documents of one organization to work on. */
export interface CompilerTask<N extends WorkName> {
  organizationId: string;
  documents: readonly Work[N]["document"][];
  read: ReadDocument;
}

/** Reads, checks and compiles documents of strangers in processes that can be ended. */
export interface Compiler extends Disposable {
  /** @throws AppError `service_unavailable` when too many tasks wait */
  run<N extends WorkName>(name: N, task: CompilerTask<N>): Promise<(Work[N]["result"] | DocumentLimit)[]>;
}

const LIMITS: CompilerLimits = { ms: 10_000, taskMs: 30_000, memoryMiB: 256 };
const PROCESSES = 2;
/** Tasks that wait, of one organization and of all. */
const WAITING_MAX = { organization: 10, all: 100 };
/** How long an unused process is kept: starting one takes 0.5 s. */
const IDLE_MS = 60_000;

/**
 * An organization has one task at a time, so that one with slow documents leaves processes to the others. A process starts when
 * it is needed and ends when nobody needs it for a minute.
 */
export function createCompiler({ processes = PROCESSES, limits = LIMITS }: CompilerOptions = {}): Compiler {
  const idle = Array.from({ length: processes }, () => new CompilerChild(limits));
  const all = [...idle];
  const busy = new Set<string>();
  const waiting: { organizationId: string; start: (child: CompilerChild) => void }[] = [];
  const timers = new Map<CompilerChild, NodeJS.Timeout>();

  function startNext(): void {
    const index = waiting.findIndex(({ organizationId }) => !busy.has(organizationId));
    // The one that was used last: it runs already.
    const child = index === -1 ? undefined : idle.pop();
    const [next] = child === undefined ? [] : waiting.splice(index, 1);
    if (child === undefined || next === undefined) return;
    clearTimeout(timers.get(child));
    busy.add(next.organizationId);
    next.start(child);
  }

  function finish(child: CompilerChild, organizationId: string): void {
    busy.delete(organizationId);
    idle.push(child);
    timers.set(child, setTimeout(() => child[Symbol.dispose](), IDLE_MS).unref());
    startNext();
    startNext();
  }

  async function run<N extends WorkName>(name: N, { organizationId, documents, read }: CompilerTask<N>) {
    if (documents.length === 0) return [];
    const own = waiting.filter((task) => task.organizationId === organizationId);
    if (own.length >= WAITING_MAX.organization || waiting.length >= WAITING_MAX.all) throw tooMany();
    const child = await new Promise<CompilerChild>((start) => {
      waiting.push({ organizationId, start });
      startNext();
    });
    try {
      return await child.run(name, documents, read);
    } finally {
      finish(child, organizationId);
    }
  }

  return {
    run,
    [Symbol.dispose]: () => {
      for (const child of all) child[Symbol.dispose]();
    },
  };
}

function tooMany(): AppError {
  const message = "Too many journeys are being checked right now. Try again shortly.";
  return new AppError("service_unavailable", message, { data: { retryAfterSeconds: 2 } });
}
