// Preloaded (`node --import`) into every measured process: it answers what can only be asked inside.
import { readFileSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { handleCalls, listenForCalls } from "./calls.ts";

let profiler: Session | undefined;

listenForCalls();
handleCalls({
  /** Bytes of live objects: after a full collection, which needs `--expose-gc`. */
  heapUsed: () => {
    globalThis.gc?.();
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  },
  residentBytes: () => process.memoryUsage.rss(),
  /** Linux only: forgets the most memory that the process had until now, so that `peakBytes` is about what follows. */
  resetPeak: () => writeFileSync("/proc/self/clear_refs", "5"),
  peakBytes: () => {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    return Number(kilobytes) * 1024;
  },
  cpuSeconds: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  },
  startProfile: async () => {
    profiler = new Session();
    profiler.connect();
    await profiler.post("Profiler.enable");
    await profiler.post("Profiler.setSamplingInterval", { interval: 200 });
    await profiler.post("Profiler.start");
  },
  stopProfile: async (file: string) => {
    if (profiler === undefined) throw new Error("no profile was started");
    const { profile } = await profiler.post("Profiler.stop");
    profiler.disconnect();
    writeFileSync(file, JSON.stringify(profile));
  },
});
