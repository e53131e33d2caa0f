import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import path from "node:path";
import { root } from "../../../scripts/bootstrap/checkout.mjs";
import type { ServiceProcess } from "@waymark/test-support/service-process.ts";

const MiB = 1024 * 1024;
const ANSWER = /^heap-probe (.*)$/gm;

const probe = pathToFileURL(path.join(root, "test/faults/support/heap-probe.ts")).href;
/** Lets {@link liveHeapMiB} ask a process that is started with these options. */
export const HEAP_PROBE_OPTIONS = `--import ${probe}`;

/** What a process really holds, in MiB: its heap and buffers right after all garbage was collected. */
export async function liveHeapMiB(service: ServiceProcess): Promise<number> {
  const answers = () => [...service.output().matchAll(ANSWER)].map((match) => match[1] ?? "");
  const before = answers().length;
  process.kill(service.pid, "SIGUSR2");
  while (answers().length === before) await sleep(20);
  const { heapUsed, external }: { heapUsed: number; external: number } = JSON.parse(answers().at(-1) ?? "{}");
  return Math.round(((heapUsed + external) / MiB) * 10) / 10;
}
