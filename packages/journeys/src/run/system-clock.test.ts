import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { systemClock } from "./system-clock.ts";

const elapses = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve));

test("waits end in the order of their ends, none before its time, and not those that were taken back", async () => {
  const start = systemClock.monotonic();
  const ended: number[] = [];
  const early: number[] = [];
  for (const ms of [60_000, 40, 20.5, 30, 0, 10]) {
    const takeBack = systemClock.after(ms, () => {
      ended.push(ms);
      if (systemClock.monotonic() - start < ms) early.push(ms);
    });
    if (ms === 30 || ms === 60_000) takeBack();
  }
  await elapses(41);
  expect(ended).toEqual([0, 10, 20.5, 40]);
  expect(early).toEqual([]);
});

test("a wait that is set or taken back while another ends is heeded", async () => {
  const ended: string[] = [];
  systemClock.after(1, () => {
    ended.push("first");
    takeBack();
    systemClock.after(5, () => ended.push("third"));
  });
  const takeBack = systemClock.after(2, () => ended.push("second"));
  // Both are over by the time that either can be told.
  for (const end = systemClock.monotonic() + 5; systemClock.monotonic() < end;);
  await expect.poll(() => ended).toContain("third");
  expect(ended).toEqual(["first", "third"]);
});

test("only what still waits keeps the process alive", async () => {
  const code = `
    const { systemClock } = await import(${JSON.stringify(new URL("system-clock.ts", import.meta.url).href)});
    const takeBack = systemClock.after(3_600_000, () => {});
    systemClock.after(3_600_000, () => {})();
    systemClock.after(20, () => process.stdout.write("waited"));
    takeBack();
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    timeout: 60_000,
  });
  expect(stdout).toBe("waited");
});
