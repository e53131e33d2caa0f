import { expect, it } from "vitest";
import { retryFor } from "./retry-for.ts";

it("retries until it succeeds", async () => {
  let tries = 0;
  const work = async () => {
    if (++tries < 4) throw new Error("not yet");
    return "done";
  };
  expect(await retryFor(work, { limitMs: 60_000, pauseMs: 1 })).toBe("done");
  expect(tries).toBe(4);
});

it("gives up at the limit, with the last error", async () => {
  let tries = 0;
  const work = () => Promise.reject(new Error(`try ${++tries}`));
  await expect(retryFor(work, { limitMs: 20, pauseMs: 5 })).rejects.toThrow(/^try \d$/);
  expect(tries).toBeGreaterThan(1);
});
