import { setTimeout as sleep } from "node:timers/promises";

/** How often the watched rows are read. */
const READ_EVERY_MS = 250;

/** A row of an organization. */
export interface WatchedRow {
  organizationId: string;
  id: string;
}

/** Reads the states of rows, of any organizations, by their ids. A row that does not exist is left out. */
export type ReadStates<State> = (rows: readonly WatchedRow[]) => Promise<ReadonlyMap<string, State>>;

export interface WaitOptions<State> {
  /** True if the wait is over. A deleted row ends it, too. */
  isReached: (state: State) => boolean;
  timeoutMs: number;
  /** Ends the wait early. */
  signal: AbortSignal;
}

/** Waits for states of rows, without a query of its own for each wait. */
export interface Watcher<State> {
  /**
   * Resolves when the row reaches the state, is deleted, or the time is over.
   *
   * @throws the error of the read, which ends all waits
   */
  wait(row: WatchedRow, options: WaitOptions<State>): Promise<void>;
  /** Ends all waits. */
  close(): void;
}

interface Wait<State> {
  isReached: (state: State) => boolean;
  end: (error?: unknown) => void;
}

/**
 * Creates a watcher that reads all watched rows with one statement, every 250 ms while anybody waits. It needs no LISTEN, which
 * poolers in transaction mode don't support.
 */
export function createWatcher<State>(
  read: ReadStates<State>,
  { everyMs = READ_EVERY_MS }: { everyMs?: number } = {},
): Watcher<State> {
  const watched = new Map<string, { row: WatchedRow; waits: Set<Wait<State>> }>();
  let isClosed = false;
  let isReading = false;

  function endAll(error?: unknown): void {
    for (const { waits } of watched.values()) for (const wait of waits) wait.end(error);
  }

  async function readWhileWatched(): Promise<void> {
    if (isReading) return;
    isReading = true;
    try {
      while (watched.size > 0) {
        const entries = [...watched.values()];
        const states = await read(entries.map(({ row }) => row));
        for (const { row, waits } of entries) endReached(waits, states.get(row.id));
        if (watched.size > 0) await sleep(everyMs);
      }
    } catch (error) {
      endAll(error);
    } finally {
      isReading = false;
    }
  }

  return {
    wait(row, options) {
      if (isClosed || options.signal.aborted) return Promise.resolve();
      const key = `${row.organizationId} ${row.id}`;
      const entry = watched.get(key) ?? { row, waits: new Set() };
      watched.set(key, entry);
      const wait = enter(entry.waits, options, () => {
        if (entry.waits.size === 0 && watched.get(key) === entry) watched.delete(key);
      });
      void readWhileWatched();
      return wait;
    },
    close() {
      isClosed = true;
      endAll();
    },
  };
}

/** Adds a wait, which leaves the others when it ends. */
function enter<State>(
  waits: Set<Wait<State>>,
  { isReached, timeoutMs, signal }: WaitOptions<State>,
  onLeft: () => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const wait: Wait<State> = {
    isReached,
    end(error) {
      waits.delete(wait);
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      onLeft();
      if (error === undefined) resolve();
      else reject(error);
    },
  };
  const onAbort = () => wait.end();
  const timer = setTimeout(onAbort, timeoutMs);
  signal.addEventListener("abort", onAbort);
  waits.add(wait);
  return promise;
}

function endReached<State>(waits: ReadonlySet<Wait<State>>, state: State | undefined): void {
  for (const wait of waits) if (state === undefined || wait.isReached(state)) wait.end();
}
