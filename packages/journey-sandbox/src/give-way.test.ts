import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants, getPriority } from "node:os";
import { afterEach, describe, expect, test } from "vitest";
import { createSandbox, LIMITS, type Sandbox } from "./create-sandbox.ts";
import { giveWay } from "./give-way.ts";

const isLinux = existsSync("/proc/self/stat");
/** Where there is no `chrt`, it has the lowest priority. */
const hasClasses = isLinux && existsSync("/usr/bin/chrt");
const SCHED_IDLE = 5;
/** Some kernels are built without it. */
const CHILDREN = `/proc/self/task/${process.pid}/children`;

function doesGiveWay(pid: number): boolean {
  if (!hasClasses) return getPriority(pid) === constants.priority.PRIORITY_LOW;
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")")).split(" ");
  return Number(fields[39]) === SCHED_IDLE;
}

function isSandbox(pid: string): boolean {
  const file = `/proc/${pid}/cmdline`;
  return pid !== "" && existsSync(file) && readFileSync(file, "utf8").includes("sandbox-process");
}

describe("a process that gives way", () => {
  let child: ChildProcess;
  afterEach(() => void child.kill("SIGKILL"));

  test("runs when no other one wants the processor", async () => {
    child = spawn(process.execPath, ["--eval", "setInterval(() => undefined, 1000)"], { stdio: "ignore" });
    const { pid = 0 } = child;
    giveWay(pid);
    await expect.poll(() => doesGiveWay(pid)).toBe(true);
  });
});

describe.runIf(hasClasses && existsSync(CHILDREN))("a sandbox", () => {
  const started: Sandbox[] = [];
  afterEach(() => {
    for (const sandbox of started.splice(0)) sandbox[Symbol.dispose]();
  });
  const start = (givesWayAfterMs: number) => {
    const sandbox = createSandbox({ ...LIMITS, ms: 60_000, givesWayAfterMs });
    started.push(sandbox);
    return sandbox;
  };
  const sandboxes = () => readFileSync(CHILDREN, "utf8").trim().split(" ").filter(isSandbox);

  test("gives way while an evaluation takes much of the processor, and does not for an ordinary one", async () => {
    const before = new Set(sandboxes());
    const [sandbox, ordinary] = [start(100), start(10_000)];
    const evil = sandbox.testRegex("^(a+)+$", `${"a".repeat(64)}!`).catch(() => "ended");
    expect(await ordinary.selectJsonPath("$.a", { a: 1 })).toEqual([1]);
    const ofBoth = sandboxes().filter((pid) => !before.has(pid));
    expect(ofBoth).toHaveLength(2);
    await expect.poll(() => ofBoth.filter((pid) => doesGiveWay(Number(pid))).length).toBe(1);
    sandbox[Symbol.dispose]();
    expect(await evil).toBe("ended");
  });
});
