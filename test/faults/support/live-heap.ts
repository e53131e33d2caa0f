import { pathToFileURL } from "node:url";
import path from "node:path";
import { root } from "../../../scripts/bootstrap/checkout.mjs";
import type { ServiceProcess } from "@waymark/test-support/service-process.ts";
import { waitUntil } from "@waymark/test-support/wait-until.ts";

const MiB = 1024 * 1024;
const ANSWER = /^heap-probe (.*)$/gm;

const probe = pathToFileURL(path.join(root, "test/faults/support/heap-probe.ts")).href;
/** Options to start a process with, so that {@link liveHeapMiB} works for it. */
export const HEAP_PROBE_OPTIONS = `--import ${probe}`;

/** The live memory of a process in MiB: its heap and buffers after collecting all garbage. */
export async function liveHeapMiB(service: ServiceProcess): Promise<number> {
  const answers = () => [...service.output().matchAll(ANSWER)].map((match) => match[1] ?? "");
  const before = answers().length;
  process.kill(service.pid, "SIGUSR2");
  await waitUntil("the process tells its heap", () => answers().length > before);
  const { heapUsed, external }: { heapUsed: number; external: number } = JSON.parse(answers().at(-1) ?? "{}");
  return Math.round(((heapUsed + external) / MiB) * 10) / 10;
}
