import { expect, it } from "vitest";
import { setImmediate } from "node:timers/promises";
import { createLastUsedRecorder } from "./last-used-recorder.ts";

function createRecorder(write: (items: string[]) => Promise<void> = async () => undefined) {
  const written: string[][] = [];
  const errors: unknown[] = [];
  const recorder = createLastUsedRecorder<string>(
    async (items) => {
      written.push(items);
      await write(items);
    },
    { idOf: (item) => item, onError: (error) => errors.push(error) },
  );
  return { ...recorder, written, errors };
}

it("records the first use at once, and those that follow together, each once", async () => {
  const { record, settled, written } = createRecorder();
  record("a");
  expect(written).toEqual([["a"]]);
  // By now, that is written and the pause has begun.
  await setImmediate();
  for (const key of ["b", "c", "b"]) record(key);
  expect(written).toEqual([["a"]]);
  await settled();
  expect(written).toEqual([["a"], ["b", "c"]]);
});

it("doesn't end a use that failed in an error of the request, and goes on", async () => {
  const failure = new Error("the database is away");
  const { record, settled, written, errors } = createRecorder((items) =>
    items.includes("a") ? Promise.reject(failure) : Promise.resolve(),
  );
  record("a");
  record("b");
  await settled();
  expect(errors).toEqual([failure]);
  expect(written).toEqual([["a"], ["b"]]);
});

it("writes nothing twice, and is ready again after it has settled", async () => {
  const { record, settled, written } = createRecorder();
  record("a");
  await settled();
  await settled();
  expect(written).toEqual([["a"]]);
  record("b");
  await settled();
  expect(written).toEqual([["a"], ["b"]]);
});
