import { setTimeout as sleep } from "node:timers/promises";
import { type ServiceProcess, startService } from "@waymark/test-support/service-process.ts";

const RESTART_AFTER_MS = 50;

export interface Supervised extends AsyncDisposable {
  /** It has come up, and has not ended since. */
  isUp(): boolean;
  /** SIGKILL. It is started again at once, as a supervisor would. */
  kill(): Promise<void>;
  /** Ends that nobody asked for after the process had come up, with the end of what it wrote. */
  crashes(): readonly string[];
}

/** Keeps a service's process up, as systemd or Kubernetes would: whatever ends it, it is started again. */
export function supervise(
  script: string,
  { env, readyText }: { env: Record<string, string>; readyText: string },
): Supervised {
  const crashes: string[] = [];
  let current: ServiceProcess | null = null;
  let killed = false;
  const end = new AbortController();

  const run = async () => {
    while (!end.signal.aborted) {
      killed = false;
      const service = await startService(script, { env, isReady: async () => true });
      current = service;
      const { code, signal } = await service.ended;
      current = null;
      // Ending before it was up is what it does when the database is away; a supervisor tries again.
      if (!killed && !end.signal.aborted && service.output().includes(readyText)) {
        // What it ended of is told before all that its connections have to say as they are closed.
        const fatal = service.logLines().filter((line) => line["level"] === 60);
        const output = fatal.length > 0 ? JSON.stringify(fatal) : service.output().slice(-2000);
        crashes.push(`${script} ended with ${signal ?? code}: ${output}`);
      }
      await sleep(RESTART_AFTER_MS);
    }
  };
  const running = run();

  return {
    isUp: () => current?.output().includes(readyText) === true,
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
