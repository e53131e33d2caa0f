/** A result of `runBatch` that says: this one has to be done individually. */
export const RUN_INDIVIDUALLY = Symbol("run individually");

export interface BatchWork<Item, Result> {
  /** Does several at once and gives one result for each, in their order. */
  runBatch(items: readonly Item[]): Promise<readonly (Result | typeof RUN_INDIVIDUALLY)[]>;
  runIndividually(item: Item): Promise<Result>;
  /** Whether `runBatch`, failing like this, has left nothing behind: then each is done individually, and fails individually. */
  canRetryIndividually(error: unknown): boolean;
}

export interface BatchLimits<Item> {
  itemsMax: number;
  /** How many batches of one group are under way at a time; what comes meanwhile gathers for the next. */
  inFlightMax: number;
  /** A batch that takes longer no longer counts as under way: it holds nobody else up. */
  holdMsMax: number;
  /** Only items of one group come together. Default: all do. */
  groupOf?: (item: Item) => string;
  /** An item that is larger than a batch may be is still done, by itself. */
  bytesMax?: { of: (item: Item) => number; perBatch: number };
}

export interface Batcher<Item, Result> {
  /** Does it soon, with others if there are some. Settles as if it had been done individually. */
  add: (item: Item) => Promise<Result>;
  /** How many items have no statement of their own: all that gather, and all but one of each batch under way. */
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
 * Brings together what is asked for at the same time, so that one round trip and one commit serve many. Items gather
 * until the turn of the event loop ends in which they came, and while as many batches as may be are under way; so an
 * idle process does each at once. Nothing is remembered from one item to the next.
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

/** How many of those at the front make the next batch: at least one. */
function countFitting<Item>(gathered: readonly { item: Item }[], limits: BatchLimits<Item>): number {
  const itemsMax = Math.min(gathered.length, limits.itemsMax);
  const { bytesMax } = limits;
  if (bytesMax === undefined) return itemsMax;
  let bytes = 0;
  const tooMany = gathered.findIndex(({ item }) => (bytes += bytesMax.of(item)) > bytesMax.perBatch);
  return tooMany === -1 ? itemsMax : Math.min(Math.max(tooMany, 1), itemsMax);
}

/** Never rejects. `onEnd` is called once, before what was left over is done individually. */
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
