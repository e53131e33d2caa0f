// Preloaded (`node --import`) into every measured process: it answers what can only be asked inside.
import { writeFileSync } from "node:fs";
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
