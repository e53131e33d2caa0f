import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { withFileLock } from "../../scripts/bootstrap/file-lock.mjs";

let folder: string;
let lock: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "waymark-lock-"));
  lock = path.join(folder, "lock");
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Another process that runs `work` (JavaScript) under the lock, having said so on standard output. */
function holdElsewhere(work: string): ChildProcess {
  const module = new URL("../../scripts/bootstrap/file-lock.mjs", import.meta.url).href;
  const script = `
    import { withFileLock } from ${JSON.stringify(module)};
    import { readFileSync, writeFileSync } from "node:fs";
    const [, lock, folder] = process.argv;
    await withFileLock(lock, {}, async () => { ${work} });`;
  const args = ["--input-type=module", "-e", script, lock, folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

describe("the file lock", () => {
  test("runs one process at a time, and all of them in the end", async () => {
    const counter = path.join(folder, "counter");
    writeFileSync(counter, "0");
    // Reading, waiting and writing back would lose counts if two overlapped.
    const addOne = `
      const count = Number(readFileSync(folder + "/counter", "utf8"));
      await new Promise((resolve) => setTimeout(resolve, 30));
      writeFileSync(folder + "/counter", String(count + 1));`;
    const ends = Array.from({ length: 6 }, () => once(holdElsewhere(addOne), "exit"));
    for (const [code] of await Promise.all(ends)) expect(code).toBe(0);
    expect(readFileSync(counter, "utf8")).toBe("6");
  });

  test("is free at once when its holder was killed", async () => {
    const holder = holdElsewhere(
      `process.stdout.write("held"); await new Promise(() => setInterval(() => {}, 1000));`,
    );
    await once(holder.stdout ?? holder, "data");
    holder.kill("SIGKILL");
    await once(holder, "exit");
    await expect(withFileLock(lock, {}, async () => "done")).resolves.toBe("done");
  });

  test("is free again when the work failed", async () => {
    await expect(withFileLock(lock, {}, () => Promise.reject(new Error("no luck")))).rejects.toThrow(
      "no luck",
    );
    await expect(withFileLock(lock, {}, async () => "done")).resolves.toBe("done");
  });
});
