import type { CompilerChild } from "./compiler-child.ts";

/** How long an unused process is kept: starting one takes 0.5 s. */
const IDLE_MS = 60_000;

/** A process that works for one organization. */
export interface OwnedChild {
  child: CompilerChild;
  organizationId: string;
  /** Ends it when it is unused. */
  timer?: NodeJS.Timeout;
}

/** The processes of a compiler. */
export interface Children extends Disposable {
  /** Returns a process that has worked for no other organization. */
  take: (organizationId: string) => OwnedChild;
  giveBack: (owned: OwnedChild) => void;
}

/**
 * Keeps at most so many processes, each for one organization until it ends: what documents leave in its memory is never another
 * organization's. Where organizations take turns, one more process that has worked for nobody waits, so that a task does not pay
 * for the start.
 */
export function createChildren(processes: number, createChild: () => CompilerChild): Children {
  const idle: OwnedChild[] = [];
  const busy = new Set<OwnedChild>();
  let spare: CompilerChild | undefined;
  let spareTimer: NodeJS.Timeout | undefined;

  const end = (owned: OwnedChild | undefined): void => {
    clearTimeout(owned?.timer);
    owned?.child[Symbol.dispose]();
  };
  const choose = (organizationId: string): OwnedChild => {
    const at = idle.findIndex((one) => one.organizationId === organizationId);
    const [own] = at === -1 ? [] : idle.splice(at, 1);
    if (own !== undefined) return own;
    const takesTurns = idle.length + busy.size > 0;
    // The one that has been unused for the longest time makes room.
    if (idle.length + busy.size >= processes) end(idle.shift());
    const child = spare ?? createChild();
    spare = takesTurns ? createChild() : undefined;
    return { child, organizationId };
  };
  const keepSpare = (): void => {
    spare?.warm();
    clearTimeout(spareTimer);
    spareTimer = setTimeout(() => {
      spare?.[Symbol.dispose]();
      spare = undefined;
    }, IDLE_MS).unref();
  };
  return {
    take: (organizationId) => {
      const owned = choose(organizationId);
      clearTimeout(owned.timer);
      busy.add(owned);
      return owned;
    },
    giveBack: (owned) => {
      busy.delete(owned);
      owned.timer = setTimeout(() => {
        idle.splice(idle.indexOf(owned), 1);
        end(owned);
      }, IDLE_MS).unref();
      idle.push(owned);
      keepSpare();
    },
    [Symbol.dispose]: () => {
      for (const owned of [...idle, ...busy]) end(owned);
      clearTimeout(spareTimer);
      spare?.[Symbol.dispose]();
    },
  };
}
