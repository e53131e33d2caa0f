import { expect, it } from "vitest";
import { tryFor } from "./try-for.ts";

it("tries again until it succeeds", async () => {
  let tries = 0;
  const work = async () => {
    if (++tries < 4) throw new Error("not yet");
    return "done";
  };
  expect(await tryFor(work, { limitMs: 60_000, pauseMs: 1 })).toBe("done");
  expect(tries).toBe(4);
});

it("gives up in the end, with the last error", async () => {
  let tries = 0;
  const work = () => Promise.reject(new Error(`try ${++tries}`));
  await expect(tryFor(work, { limitMs: 20, pauseMs: 5 })).rejects.toThrow(/^try \d$/);
  expect(tries).toBeGreaterThan(1);
});
