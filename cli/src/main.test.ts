import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

test.each([
  ["an error that nothing catches", "setTimeout(() => { throw new Error('fault') }, 0)"],
  ["a promise that nothing handles", "Promise.reject(new Error('fault'))"],
])("%s ends with the exit code of a fault, not with that of a gate", (_name, fault) => {
  // The fault happens when the command has run.
  const before = `process.once("beforeExit", () => { ${fault} })`;
  const result = spawnSync(process.execPath, ["--import", `data:text/javascript,${before}`, main, "--help"], {
    encoding: "utf8",
    timeout: 60_000,
  });
  expect(result).toMatchObject({ status: 4, stderr: expect.stringContaining("internal error of waymark") });
});
