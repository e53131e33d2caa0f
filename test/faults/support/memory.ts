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

/** Samples a process's memory until it is stopped. */
export function watchMemory(pid: number, everyMs = 100): { stop(): number[] } {
  const samples = [residentMiB(pid)];
  const timer = setInterval(() => {
    try {
      samples.push(residentMiB(pid));
    } catch {
      // It has ended; the requests to it will report that.
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
