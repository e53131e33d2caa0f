import { AppError } from "@waymark/shared/errors/app-error.ts";
import { type OwnedChild, createChildren } from "./children.ts";
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
  /** How many tasks may wait: of one organization, and of all. */
  waitingMax?: { organization: number; all: number };
  limits?: CompilerLimits;
  createChild?: (limits: CompilerLimits) => CompilerChild;
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

const LIMITS: CompilerLimits = { ms: 10_000, wallMs: 30_000, taskMs: 30_000, memoryMiB: 256 };
const PROCESSES = 2;
const WAITING_MAX = { organization: 10, all: 100 };

/**
 * An organization has one task at a time, so that one with slow documents leaves processes to the others. A process starts when
 * it is needed, works for one organization, and ends when nobody needs it for a minute.
 */
export function createCompiler({
  processes = PROCESSES,
  limits = LIMITS,
  waitingMax = WAITING_MAX,
  createChild = (limited) => new CompilerChild(limited),
}: CompilerOptions = {}): Compiler {
  const children = createChildren(processes, () => createChild(limits));
  const busy = new Map<string, OwnedChild>();
  const waiting: { organizationId: string; start: (child: CompilerChild) => void }[] = [];

  function startNext(): void {
    const index = waiting.findIndex(({ organizationId }) => !busy.has(organizationId));
    if (index === -1 || busy.size >= processes) return;
    const [next] = waiting.splice(index, 1);
    if (next === undefined) return;
    const owned = children.take(next.organizationId);
    busy.set(next.organizationId, owned);
    next.start(owned.child);
  }

  function finish(organizationId: string): void {
    const owned = busy.get(organizationId);
    busy.delete(organizationId);
    if (owned !== undefined) children.giveBack(owned);
    startNext();
    startNext();
  }

  async function run<N extends WorkName>(name: N, { organizationId, documents, read }: CompilerTask<N>) {
    if (documents.length === 0) return [];
    const own = waiting.filter((task) => task.organizationId === organizationId);
    if (own.length >= waitingMax.organization || waiting.length >= waitingMax.all) throw tooMany();
    const child = await new Promise<CompilerChild>((start) => {
      waiting.push({ organizationId, start });
      startNext();
    });
    try {
      return await child.run(name, documents, read);
    } finally {
      finish(organizationId);
    }
  }

  return {
    run,
    [Symbol.dispose]: () => {
      children[Symbol.dispose]();
    },
  };
}

function tooMany(): AppError {
  const message = "Too many documents are being checked right now. Try again shortly.";
  return new AppError("service_unavailable", message, { data: { retryAfterSeconds: 2 } });
}
