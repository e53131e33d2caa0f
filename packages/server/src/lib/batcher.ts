// Not dataloader: it limits the size of a batch, but not the batches in flight, and has no groups, bytes or individual retries.
/** A result of `runBatch` for an item that must run individually. */
export const RUN_INDIVIDUALLY = Symbol("run individually");

export interface BatchWork<Item, Result> {
  /** Runs several items together and returns one result for each, in the same order. */
  runBatch(items: readonly Item[]): Promise<readonly (Result | typeof RUN_INDIVIDUALLY)[]>;
  runIndividually(item: Item): Promise<Result>;
  /** Whether `runBatch` left no effects when it failed with this error. If so, each item runs individually. */
  canRetryIndividually(error: unknown): boolean;
}

export interface BatchLimits<Item> {
  itemsMax: number;
  /** The maximum number of concurrent batches in a group. Further items wait for the next batch. */
  inFlightMax: number;
  /** After this time a batch no longer counts as running, so that a slow batch doesn't delay others. */
  holdMsMax: number;
  /** A batch contains items of one group only. Default: one group for all. */
  groupOf?: (item: Item) => string;
  /** An item larger than the limit of a batch runs in a batch of its own. */
  bytesMax?: { of: (item: Item) => number; perBatch: number };
}

export interface Batcher<Item, Result> {
  /** Runs the item soon, with others if there are any. Settles as if it had run individually. */
  add: (item: Item) => Promise<Result>;
  /** How many items share a statement: all waiting ones, and all but one of each running batch. */
  waiting: () => number;
}

interface Entry<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

interface Group<Item, Result> {
  gathered: Entry<Item, Result>[];
  inFlight: number;
  isDue: boolean;
}

/**
 * Batches concurrent requests, so that they share a round trip and a commit. Items wait for the end of the current tick of
 * the event loop, and longer if the maximum number of batches is running. So an idle process runs each item immediately.
 * Nothing is cached between items.
 */
export function createBatcher<Item, Result>(
  work: BatchWork<Item, Result>,
  limits: BatchLimits<Item>,
): Batcher<Item, Result> {
  const groups = new Map<string, Group<Item, Result>>();
  let waiting = 0;

  function setDue(name: string, group: Group<Item, Result>): void {
    if (group.isDue || group.inFlight >= limits.inFlightMax) return;
    group.isDue = true;
    setImmediate(() => {
      group.isDue = false;
      while (group.gathered.length > 0 && group.inFlight < limits.inFlightMax) begin(name, group);
    });
  }

  function begin(name: string, group: Group<Item, Result>): void {
    const batch = group.gathered.splice(0, countFitting(group.gathered, limits));
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      clearTimeout(timer);
      group.inFlight--;
      if (group.gathered.length > 0) setDue(name, group);
      else if (group.inFlight === 0) groups.delete(name);
    };
    const timer = setTimeout(release, limits.holdMsMax).unref();
    group.inFlight++;
    waiting--;
    void run(work, batch, () => {
      waiting -= batch.length - 1;
      release();
    });
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        const name = limits.groupOf?.(item) ?? "";
        let group = groups.get(name);
        if (group === undefined) {
          group = { gathered: [], inFlight: 0, isDue: false };
          groups.set(name, group);
        }
        group.gathered.push({ item, resolve, reject });
        waiting++;
        setDue(name, group);
      }),
    waiting: () => waiting,
  };
}

/** How many of the first items fit into the next batch: at least one. */
function countFitting<Item>(gathered: readonly { item: Item }[], limits: BatchLimits<Item>): number {
  const itemsMax = Math.min(gathered.length, limits.itemsMax);
  const { bytesMax } = limits;
  if (bytesMax === undefined) return itemsMax;
  let bytes = 0;
  const tooMany = gathered.findIndex(({ item }) => (bytes += bytesMax.of(item)) > bytesMax.perBatch);
  return tooMany === -1 ? itemsMax : Math.min(Math.max(tooMany, 1), itemsMax);
}

/** Never rejects. Calls `onEnd` once, before the remaining items run individually. */
async function run<Item, Result>(
  work: BatchWork<Item, Result>,
  batch: readonly Entry<Item, Result>[],
  onEnd: () => void,
): Promise<void> {
  const [first] = batch;
  if (batch.length === 1 && first !== undefined) return settleIndividually(work, first).finally(onEnd);

  let results: readonly (Result | typeof RUN_INDIVIDUALLY)[];
  try {
    results = await work.runBatch(batch.map(({ item }) => item));
    if (results.length !== batch.length) throw new Error("a batch must give one result for each item");
  } catch (error) {
    onEnd();
    const canRetryIndividually = work.canRetryIndividually(error);
    for (const entry of batch) {
      if (canRetryIndividually) void settleIndividually(work, entry);
      else entry.reject(error);
    }
    return;
  }
  onEnd();
  for (const [n, result] of results.entries()) {
    const entry = batch[n];
    if (entry === undefined) continue;
    if (result === RUN_INDIVIDUALLY) void settleIndividually(work, entry);
    else entry.resolve(result);
  }
}

async function settleIndividually<Item, Result>(
  work: BatchWork<Item, Result>,
  { item, resolve, reject }: Entry<Item, Result>,
): Promise<void> {
  try {
    resolve(await work.runIndividually(item));
  } catch (error) {
    reject(error);
  }
}
