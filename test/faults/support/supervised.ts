import { setTimeout as sleep } from "node:timers/promises";
import { type ServiceProcess, startService } from "@waymark/test-support/service-process.ts";

const RESTART_AFTER_MS = 50;
const OUTPUT_MAX = 2000;

export interface Supervised extends AsyncDisposable {
  /** Whether it has started and not ended since. */
  isUp(): boolean;
  /** The id of the process that runs now. */
  pid(): number | undefined;
  /** The end of what the last process has printed. */
  lastOutput(): string;
  /** SIGKILL. It is restarted immediately, as by a supervisor. */
  kill(): Promise<void>;
  /** Unexpected ends after the process had started, with the end of its output. */
  crashes(): readonly string[];
}

/** Keeps a service's process running, like systemd or Kubernetes: it is restarted whenever it ends. */
export function supervise(
  script: string,
  { env, readyText }: { env: Record<string, string>; readyText: string },
): Supervised {
  const crashes: string[] = [];
  let current: ServiceProcess | null = null;
  let last: ServiceProcess | undefined;
  let killed = false;
  const end = new AbortController();

  const run = async () => {
    while (!end.signal.aborted) {
      killed = false;
      const service = await startService(script, { env, isReady: async () => true });
      current = service;
      last = service;
      const { code, signal } = await service.ended;
      current = null;
      // It ends before it has started if the database is unavailable; a supervisor retries.
      if (!killed && !end.signal.aborted && service.output().includes(readyText)) {
        // The fatal error comes before everything that its connections log while they are closed.
        const fatal = service.logLines().filter((line) => line["level"] === 60);
        const output = fatal.length > 0 ? JSON.stringify(fatal) : service.output().slice(-OUTPUT_MAX);
        crashes.push(`${script} ended with ${signal ?? code}: ${output}`);
      }
      await sleep(RESTART_AFTER_MS);
    }
  };
  const running = run();

  return {
    isUp: () => current?.output().includes(readyText) === true,
    pid: () => current?.pid,
    lastOutput: () => last?.output().slice(-OUTPUT_MAX) ?? "",
    async kill() {
      const victim = current;
      if (victim === null) return;
      killed = true;
      await victim.stop("SIGKILL");
    },
    crashes: () => crashes,
    async [Symbol.asyncDispose]() {
      end.abort();
      await current?.stop();
      await running;
    },
  };
}
