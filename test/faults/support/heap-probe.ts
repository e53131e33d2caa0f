// Loaded into a service with --import: on SIGUSR2 it collects all garbage and reports the live memory.
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

async function answer(): Promise<void> {
  // Twice, with a tick in between, because finalizers of the first collection create garbage.
  for (let round = 0; round < 2; round++) {
    collect();
    await sleep(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(`heap-probe ${JSON.stringify({ heapUsed, external })}\n`);
}

process.on("SIGUSR2", () => void answer());
