import {
  type Service,
  type ServiceOptions,
  startService as start,
  untilReady,
} from "../../scripts/service.ts";
import { runnable } from "./service-scripts.ts";
import { cleanEnvironment, COMPILE_CACHE } from "./run-node.ts";

// What takes a second on an idle machine may take a minute on one that has other things to do.
const READY_MS = 120_000;
const STOP_MS = 60_000;

export interface ServiceProcess extends Service, AsyncDisposable {
  /** Its log lines, parsed. */
  logLines(): Record<string, unknown>[];
}

/**
 * Starts a real service process and waits until `isReady`. It ends with the test process at the latest. Disposing sends
 * SIGTERM and fails when the process doesn't end by itself.
 *
 * @throws Error with the process's output when it ends or stays unready
 */
export async function startService(
  script: string,
  {
    env,
    isReady,
    ...options
  }: Omit<ServiceOptions, "env"> & {
    env: Record<string, string>;
    isReady: (service: ServiceProcess) => Promise<boolean>;
  },
): Promise<ServiceProcess> {
  const started = start(runnable(script), {
    stopMs: STOP_MS,
    ...options,
    env: cleanEnvironment({ ...COMPILE_CACHE, ...env }),
  });
  const service: ServiceProcess = {
    ...started,
    logLines: () =>
      started
        .output()
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    async [Symbol.asyncDispose]() {
      await started.stop();
    },
  };
  await untilReady(started, () => isReady(service), { timeoutMs: READY_MS });
  return service;
}
