import { expect, it, vi } from "vitest";
import { createWatcher, type ReadStates, type WatchedRow } from "./watcher.ts";

const ORGANIZATION = "o";
const row = (id: string): WatchedRow => ({ organizationId: ORGANIZATION, id });
const signal = () => new AbortController().signal;
const forEver = { timeoutMs: 60_000 };

/** Numbers by id, which a test changes, and the reads of them. */
function startWatching(numbers: Record<string, number>) {
  const read = vi.fn<ReadStates<number>>(async (rows) => {
    const found = rows.flatMap(({ id }) => (id in numbers ? [[id, numbers[id] ?? 0] as const] : []));
    return new Map(found);
  });
  return { read, watcher: createWatcher(read, { everyMs: 1 }) };
}

it("many waits for the same rows are one read of each row at a time", async () => {
  const numbers: Record<string, number> = { a: 0, b: 0 };
  const { read, watcher } = startWatching(numbers);
  const waits = Array.from({ length: 100 }, (_, index) =>
    watcher.wait(row(index % 2 === 0 ? "a" : "b"), { isReached: (n) => n > 0, signal: signal(), ...forEver }),
  );
  await expect.poll(() => read.mock.calls.length).toBeGreaterThan(2);
  Object.assign(numbers, { a: 1, b: 1 });
  await Promise.all(waits);
  for (const [rows] of read.mock.calls.slice(1)) expect(rows).toHaveLength(2);
});

it("a wait ends by its own state, and reading ends with the last wait", async () => {
  const numbers: Record<string, number> = { a: 1 };
  const { read, watcher } = startWatching(numbers);
  await watcher.wait(row("a"), { isReached: (n) => n > 0, signal: signal(), ...forEver });
  const later = watcher.wait(row("a"), { isReached: (n) => n > 1, signal: signal(), ...forEver });
  await expect.poll(() => read.mock.calls.length).toBeGreaterThan(1);
  numbers["a"] = 2;
  await later;
  const reads = read.mock.calls.length;
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(read.mock.calls).toHaveLength(reads);
});

it.each<[string, (options: { stop: () => void; close: () => void; remove: () => void }) => void]>([
  ["its caller leaves", ({ stop }) => stop()],
  ["the watcher is closed", ({ close }) => close()],
  ["the row is deleted", ({ remove }) => remove()],
])("a wait ends when %s", async (_when, happen) => {
  const numbers: Record<string, number> = { a: 0 };
  const { read, watcher } = startWatching(numbers);
  const stopped = new AbortController();
  const wait = watcher.wait(row("a"), { isReached: () => false, signal: stopped.signal, ...forEver });
  await expect.poll(() => read.mock.calls.length).toBeGreaterThan(0);
  happen({ stop: () => stopped.abort(), close: () => watcher.close(), remove: () => delete numbers["a"] });
  await wait;
});

it("a wait ends when its time is over", async () => {
  const { watcher } = startWatching({ a: 0 });
  const wait = watcher.wait(row("a"), { isReached: () => false, signal: signal(), timeoutMs: 1 });
  await expect(wait).resolves.toBeUndefined();
});

it("rows of two organizations with the same id are two rows", async () => {
  const { read, watcher } = startWatching({ a: 1 });
  const wait = (organizationId: string) =>
    watcher.wait({ organizationId, id: "a" }, { isReached: (n) => n > 0, signal: signal(), ...forEver });
  await Promise.all([wait("o"), wait("p")]);
  const seen = read.mock.calls.flatMap(([rows]) => rows.map(({ organizationId }) => organizationId));
  expect(new Set(seen)).toEqual(new Set(["o", "p"]));
});

it("a failed read ends every wait with its error, and the next wait reads again", async () => {
  const read = vi.fn<ReadStates<number>>(async (rows) => new Map(rows.map(({ id }) => [id, 1])));
  read.mockRejectedValueOnce(new Error("no database"));
  const watcher = createWatcher(read, { everyMs: 1 });
  const wait = () => watcher.wait(row("a"), { isReached: (n) => n > 0, signal: signal(), ...forEver });
  expect(await Promise.allSettled([wait(), wait()])).toMatchObject([
    { status: "rejected", reason: { message: "no database" } },
    { status: "rejected", reason: { message: "no database" } },
  ]);
  await wait();
});
