import {
  type End,
  type Service,
  type ServiceOptions,
  startService as start,
  untilReady,
} from "../../scripts/service.ts";
import { runnable } from "./service-scripts.ts";
import { cleanEnvironment, COMPILE_CACHE } from "./run-node.ts";
import { startAgainWhenLate } from "./start-again.ts";

// A start that takes a second on an idle machine may take a minute on a busy one.
const READY_MS = 120_000;
const STOP_MS = 60_000;

/** An api or a worker, in a process of its own or not. */
export interface TestService extends Pick<Service, "output" | "ended">, AsyncDisposable {
  /** Ends it as SIGTERM does. */
  stop(): Promise<End>;
  /** Its log lines, parsed. */
  logLines(): Record<string, unknown>[];
}

export type ServiceProcess = Service & TestService;

/**
 * Starts a real service process and waits until `isReady`. It ends with the test process at the latest. Disposing sends
 * SIGTERM, and fails if the process doesn't end.
 *
 * @throws Error with the process's output if it ends or doesn't become ready
 */
export function startService(script: string, options: ProcessOptions): Promise<ServiceProcess> {
  return startAgainWhenLate(() => startOnce(script, options));
}

type ProcessOptions = Omit<ServiceOptions, "env"> & {
  env: Record<string, string>;
  isReady: (service: ServiceProcess) => Promise<boolean>;
};

async function startOnce(
  script: string,
  { env, isReady, ...options }: ProcessOptions,
): Promise<ServiceProcess> {
  const started = start(runnable(script), {
    stopMs: STOP_MS,
    ...options,
    env: cleanEnvironment({ ...COMPILE_CACHE, ...env }),
  });
  const service: ServiceProcess = {
    ...started,
    logLines: () => parseLogLines(started.output()),
    async [Symbol.asyncDispose]() {
      await started.stop();
    },
  };
  await untilReady(started, () => isReady(service), { timeoutMs: READY_MS });
  return service;
}

export function parseLogLines(output: string): Record<string, unknown>[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
