// Carries out cases in a process of its own and writes a line for each: how it ended, its time, and the most memory so far.
import { existsSync, readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { sandbox } from "./case.ts";
import { GROUPS } from "./groups.ts";

const CHILDREN = `/proc/self/task/${process.pid}/children`;
let sandboxKiB = 0;

/** The most memory that the sandbox's process had. Only Linux tells it of a process that is gone soon. */
function watchSandbox(): void {
  for (const pid of readFileSync(CHILDREN, "utf8").split(" ").filter(Boolean)) {
    const status = `/proc/${pid}/status`;
    const peak = existsSync(status) ? /VmHWM:\s+(\d+) kB/.exec(readFileSync(status, "utf8")) : null;
    sandboxKiB = Math.max(sandboxKiB, Number(peak?.[1] ?? 0));
  }
}

const watch = existsSync(CHILDREN) ? setInterval(watchSandbox, 10) : undefined;
const only = process.argv[3];
for (const { what, end } of (await GROUPS[process.argv[2] ?? ""]?.()) ?? []) {
  if (only !== undefined && !what.includes(only)) continue;
  const start = performance.now();
  let ended: string;
  try {
    ended = await end();
  } catch (error) {
    ended = `fault: ${error instanceof Error ? error.stack : String(error)}`;
  }
  const ms = Math.round(performance.now() - start);
  const memoryMiB = Math.round((process.resourceUsage().maxRSS + sandboxKiB) / 1024);
  process.stdout.write(`${JSON.stringify({ what, ended, ms, memoryMiB })}\n`);
}
clearInterval(watch);
sandbox[Symbol.dispose]();
