import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(path.join(tmpdir(), "waymark-compiled-"));
// The sandbox ends soon after its parent, and writes once more.
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

// It is killed, so that it writes no compiled code itself.
const SCRIPT = `
import { createSandbox } from ${JSON.stringify(import.meta.resolve("./create-sandbox.ts"))};
await createSandbox().selectJsonPath("$.a", { a: 1 });
process.kill(process.pid, "SIGKILL");`;

test("a sandbox keeps compiled code where its parent does", () => {
  const ended = spawnSync(process.execPath, ["--input-type=module", "--eval", SCRIPT], {
    env: { NODE_COMPILE_CACHE: folder },
    encoding: "utf8",
  });
  expect(ended).toMatchObject({ signal: "SIGKILL", stderr: "" });
  const [ofThisNode, ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  expect(readdirSync(path.join(folder, ofThisNode ?? "")).length).toBeGreaterThan(10);
});
