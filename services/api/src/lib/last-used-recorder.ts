import { setTimeout as sleep } from "node:timers/promises";

/** The pause between two statements. Each fleet's key is due once a minute, so without it each would get its own commit. */
const PAUSE_MS = 1_000;

export interface LastUsedRecorder<Item> {
  /** Records a use: immediately after a pause without uses, otherwise within about a second. It never blocks or fails. */
  record: (item: Item) => void;
  /** Ends the pauses, and resolves when every use is recorded. */
  settled: () => Promise<void>;
}

/**
 * Records the last use of keys or sessions in the background, in one statement for all that were used during a pause. It
 * uses at most one connection.
 */
export function createLastUsedRecorder<Item>(
  write: (items: Item[]) => Promise<void>,
  { idOf, onError }: { idOf: (item: Item) => string; onError: (error: unknown) => void },
): LastUsedRecorder<Item> {
  const closing = new AbortController();
  let waiting = new Map<string, Item>();
  let running: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (waiting.size > 0) {
      const items = [...waiting.values()];
      waiting = new Map();
      // If recording fails, the next request records the use.
      await write(items).catch(onError);
      await sleep(PAUSE_MS, undefined, { ref: false, signal: closing.signal }).catch(() => undefined);
    }
    running = undefined;
  }

  return {
    record(item) {
      waiting.set(idOf(item), item);
      running ??= drain();
    },
    async settled() {
      closing.abort();
      await running;
    },
  };
}
