import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Resident memory of a process now, in MiB. */
export function residentMiB(pid: number): number {
  const kib =
    process.platform === "linux"
      ? Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])
      : Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }));
  return Math.round(kib / 1024);
}

/** Looks at a process's memory every so often, until it is told to stop. */
export function watchMemory(pid: number, everyMs = 100): { stop(): number[] } {
  const samples = [residentMiB(pid)];
  const timer = setInterval(() => {
    try {
      samples.push(residentMiB(pid));
    } catch {
      // It has ended, and whoever waits for its answers will say so.
      clearInterval(timer);
    }
  }, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return samples;
    },
  };
}
