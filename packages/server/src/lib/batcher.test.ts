import { describe, expect, it } from "vitest";
import { RUN_INDIVIDUALLY, type BatchLimits, type BatchWork, createBatcher } from "./batcher.ts";

const LIMITS = { itemsMax: 10, inFlightMax: 1, holdMsMax: 60_000 };

/** A batcher of words whose results tell how each was run, and whose batches end on demand. */
function setUp({
  limits = {},
  work = {},
  isManual = false,
}: {
  limits?: Partial<BatchLimits<string>>;
  work?: Partial<BatchWork<string, string>>;
  isManual?: boolean;
} = {}) {
  const begun: string[][] = [];
  const ends: (() => void)[] = [];
  const begin = async (items: readonly string[]) => {
    begun.push([...items]);
    if (isManual) await new Promise<void>((resolve) => ends.push(resolve));
  };
  const batcher = createBatcher<string, string>(
    {
      runBatch: async (items) => {
        await begin(items);
        return items.map((item) => `${item} together`);
      },
      runIndividually: async (item) => {
        await begin([item]);
        return `${item} alone`;
      },
      canRetryIndividually: () => true,
      ...work,
    },
    { ...LIMITS, ...limits },
  );
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { ...batcher, begun, end: () => ends.shift()?.(), turn };
}

describe("a batcher", () => {
  it("runs a single item immediately", async () => {
    const { add, begun, turn } = setUp();
    const first = add("a");
    await turn();
    expect(begun).toEqual([["a"]]);
    expect(await first).toBe("a alone");
    expect(await add("b")).toBe("b alone");
  });

  it("runs items of one tick together, and returns each its own result", async () => {
    const { add, begun } = setUp();
    expect(await Promise.all(["a", "b", "c"].map(add))).toEqual(["a together", "b together", "c together"]);
    expect(begun).toEqual([["a", "b", "c"]]);
  });

  it("collects items while a batch runs, and keeps the order", async () => {
    const { add, begun, end, turn } = setUp({ isManual: true });
    const all = [add("a")];
    await turn();
    all.push(add("b"));
    await turn();
    all.push(add("c"));
    await turn();
    expect(begun).toEqual([["a"]]);
    end();
    await expect.poll(() => begun).toEqual([["a"], ["b", "c"]]);
    end();
    expect(await Promise.all(all)).toEqual(["a alone", "b together", "c together"]);
  });

  it("runs as many batches concurrently as allowed, and no more", async () => {
    const { add, begun, end, turn } = setUp({ isManual: true, limits: { inFlightMax: 2, itemsMax: 1 } });
    const all = ["a", "b", "c"].map(add);
    await turn();
    expect(begun).toEqual([["a"], ["b"]]);
    end();
    await expect.poll(() => begun).toEqual([["a"], ["b"], ["c"]]);
    end();
    end();
    await Promise.all(all);
  });

  it("respects a batch's limits of items and bytes, and runs larger items individually", async () => {
    const limits = { itemsMax: 3, bytesMax: { of: (item: string) => item.length, perBatch: 10 } };
    const { add, begun } = setUp({ limits });
    await Promise.all(["1", "2", "3", "4", "55555", "666666", "a".repeat(50), "8"].map(add));
    expect(begun).toEqual([["1", "2", "3"], ["4", "55555"], ["666666"], ["a".repeat(50)], ["8"]]);
  });

  it("separates groups, which don't wait for each other", async () => {
    const { add, begun, end, turn } = setUp({
      isManual: true,
      limits: { groupOf: (item) => item.charAt(0) },
    });
    const all = ["a1", "b1", "a2", "b2"].map(add);
    await turn();
    expect(begun).toEqual([
      ["a1", "a2"],
      ["b1", "b2"],
    ]);
    end();
    end();
    await Promise.all(all);
  });

  it("starts the next batch when one takes too long", async () => {
    const { add, begun, end } = setUp({ isManual: true, limits: { holdMsMax: 1 } });
    const stuck = add("stuck");
    await expect.poll(() => begun).toEqual([["stuck"]]);
    const next = add("next");
    await expect.poll(() => begun).toEqual([["stuck"], ["next"]]);
    end();
    expect(await stuck).toBe("stuck alone");
    end();
    expect(await next).toBe("next alone");
  });

  it("runs items individually that a batch couldn't run", async () => {
    const runBatch = async (items: readonly string[]) =>
      items.map((item) => (item === "b" ? RUN_INDIVIDUALLY : `${item} together`));
    const { add } = setUp({ work: { runBatch } });
    expect(await Promise.all(["a", "b", "c"].map(add))).toEqual(["a together", "b alone", "c together"]);
  });
});

describe("a batch that fails", () => {
  const runBatch = () => Promise.reject(new Error("one of them is bad"));
  const runIndividually = async (item: string) => {
    if (item === "bad") throw new Error("this one is bad");
    return `${item} alone`;
  };

  it("is retried one by one, and fails only the faulty item, with its own error", async () => {
    const { add } = setUp({ work: { runBatch, runIndividually } });
    expect(await Promise.allSettled(["a", "bad", "c"].map(add))).toEqual([
      { status: "fulfilled", value: "a alone" },
      { status: "rejected", reason: new Error("this one is bad") },
      { status: "fulfilled", value: "c alone" },
    ]);
  });

  it("fails all items if it may have had an effect", async () => {
    const tried: string[] = [];
    const { add } = setUp({
      work: {
        runBatch,
        canRetryIndividually: () => false,
        runIndividually: async (item) => {
          tried.push(item);
          return item;
        },
      },
    });
    const outcomes = await Promise.allSettled(["a", "b"].map(add));
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(tried).toEqual([]);
  });

  it("fails if it returns fewer results than items, so that no item gets another's result", async () => {
    const { add } = setUp({
      work: { runBatch: async () => ["only one"], canRetryIndividually: () => false },
    });
    const outcomes = await Promise.allSettled(["a", "b"].map(add));
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  it("lets the next batch start while items are processed individually", async () => {
    const stuck = new Promise<string>(() => undefined);
    const { add } = setUp({
      work: { runBatch, runIndividually: (item) => (item === "stuck" ? stuck : runIndividually(item)) },
    });
    void add("stuck");
    await add("a");
    expect(await add("b")).toBe("b alone");
  });
});

it("counts all items but one of each batch as waiting", async () => {
  const { add, waiting, end, turn } = setUp({ isManual: true });
  const all = ["a", "b", "c"].map(add);
  expect(waiting()).toBe(3);
  await turn();
  expect(waiting()).toBe(2);
  all.push(add("d"));
  expect(waiting()).toBe(3);
  end();
  await Promise.all(all.slice(0, 3));
  await turn();
  expect(waiting()).toBe(0);
  end();
  await Promise.all(all);
  expect(waiting()).toBe(0);
});

it("counts no item of a failed batch as waiting once they run individually", async () => {
  const stuck = new Promise<string>(() => undefined);
  const { add, waiting } = setUp({
    work: { runBatch: () => Promise.reject(new Error("no")), runIndividually: () => stuck },
  });
  void add("a");
  void add("b");
  expect(waiting()).toBe(2);
  await expect.poll(waiting).toBe(0);
});
