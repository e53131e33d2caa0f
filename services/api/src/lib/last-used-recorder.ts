export interface LastUsedRecorder<Item> {
  /** Records a use soon. It never blocks and never fails. */
  record: (item: Item) => void;
  /** Resolves when every use is recorded. */
  settled: () => Promise<void>;
}

/**
 * Records the last use of keys or sessions in the background: one statement at a time, for all that were used during the
 * previous statement. It uses at most one connection.
 */
export function createLastUsedRecorder<Item>(
  write: (items: Item[]) => Promise<void>,
  { idOf, onError }: { idOf: (item: Item) => string; onError: (error: unknown) => void },
): LastUsedRecorder<Item> {
  let waiting = new Map<string, Item>();
  let running: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (waiting.size > 0) {
      const items = [...waiting.values()];
      waiting = new Map();
      // If recording fails, the next request records the use.
      await write(items).catch(onError);
    }
    running = undefined;
  }

  return {
    record(item) {
      waiting.set(idOf(item), item);
      running ??= drain();
    },
    async settled() {
      await running;
    },
  };
}
