// Runs cases of a group in a separate process, and writes a line for each: how it ended, the processor time that it and its
// sandbox took, and their peak memory.
// Arguments: the group's name, a step and the first case; without them every case is run.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { sandbox } from "./case.ts";
import { GROUPS } from "./groups.ts";

const CHILDREN = `/proc/self/task/${process.pid}/children`;
/** Length of a tick, in which Linux counts the processor time of a process. */
const TICK_MS = 10;
let sandboxKiB = 0;
/** Processor time of each sandbox's process so far. */
const sandboxMs = new Map<string, number>();

/** Updates the sandbox's peak memory and processor time. Only Linux shows them for a process that ends soon. */
function watchSandbox(): void {
  for (const pid of readFileSync(CHILDREN, "utf8").split(" ").filter(Boolean)) {
    sandboxKiB = Math.max(sandboxKiB, peakKiB(pid));
    const stat = `/proc/${pid}/stat`;
    const fields = existsSync(stat)
      ? readFileSync(stat, "utf8")
          .replace(/^.*\) /, "")
          .split(" ")
      : [];
    const [user = 0, system = 0] = fields.slice(11, 13).map(Number);
    sandboxMs.set(pid, Math.max(sandboxMs.get(pid) ?? 0, (user + system) * TICK_MS));
  }
}

/** Returns the processor time of this process and its sandboxes; on other systems than Linux, elapsed time. */
function spentMs(): number {
  if (!existsSync(CHILDREN)) return performance.now();
  watchSandbox();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + [...sandboxMs.values()].reduce((sum, ms) => sum + ms, 0);
}

function peakKiB(pid: string): number {
  const status = `/proc/${pid}/status`;
  const peak = existsSync(status) ? /VmHWM:\s+(\d+) kB/.exec(readFileSync(status, "utf8")) : null;
  return Number(peak?.[1] ?? 0);
}

/** Forgets the peak of the case before. Other systems than Linux show only that of all cases. */
function resetPeak(): void {
  globalThis.gc?.();
  sandboxKiB = 0;
  if (existsSync(CHILDREN)) writeFileSync("/proc/self/clear_refs", "5");
}

const watch = existsSync(CHILDREN) ? setInterval(watchSandbox, 10) : undefined;
const [group = "", every = "1", first = "0"] = process.argv.slice(2);
for (const [index, { what, end }] of ((await GROUPS[group]?.()) ?? []).entries()) {
  if (index % Number(every) !== Number(first)) continue;
  resetPeak();
  const start = spentMs();
  let ended: string;
  try {
    ended = await end();
  } catch (error) {
    ended = `fault: ${error instanceof Error ? error.stack : String(error)}`;
  }
  const ms = Math.round(spentMs() - start);
  const ownKiB = peakKiB("self") || process.resourceUsage().maxRSS;
  const memoryMiB = Math.round((ownKiB + sandboxKiB) / 1024);
  process.stdout.write(`${JSON.stringify({ what, ended, ms, memoryMiB })}\n`);
}
clearInterval(watch);
sandbox[Symbol.dispose]();
