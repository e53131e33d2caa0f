export interface LastUsedRecorder<Item> {
  /** Notes a use soon. It never waits and never fails. */
  record: (item: Item) => void;
  /** Resolves when nothing is left to note. */
  settled: () => Promise<void>;
}

/**
 * Notes the last use of things beside the requests: one statement at a time, which takes all that were used while the
 * one before ran. At most one connection is busy with it, however many there are.
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
      // A note that is lost is made by the next request.
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
