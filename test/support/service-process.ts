import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { cleanEnvironment } from "./run-node.ts";

// What takes a second on an idle machine may take a minute on one that has other things to do.
const READY_MS = 120_000;
const STOP_MS = 60_000;
const endWithParent = fileURLToPath(new URL("../../scripts/bootstrap/end-with-parent.mjs", import.meta.url));

export interface ServiceProcess extends AsyncDisposable {
  pid: number;
  /** Everything it has written so far, standard output and standard error together. */
  output(): string;
  /** Its log lines, parsed. */
  logLines(): Record<string, unknown>[];
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Resolves when it has ended, for whatever reason. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/**
 * Starts a real service process and waits until `isReady`. It ends with the test process at the latest. Disposing sends
 * SIGTERM and fails when the process doesn't end by itself.
 *
 * @throws Error with the process's output when it ends or stays unready
 */
export async function startService(
  script: string,
  { env, isReady }: { env: Record<string, string>; isReady: (service: ServiceProcess) => Promise<boolean> },
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, ["--import", endWithParent, script], {
    cwd: root,
    env: cleanEnvironment(env),
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const service = describe(script, child);
  const deadline = Date.now() + READY_MS;
  while (!(await isReady(service).catch(() => false))) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`${script} ended before it was ready:\n${service.output()}`);
    }
    if (Date.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`${script} was not ready after ${READY_MS} ms:\n${service.output()}`);
    }
    await sleep(25);
  }
  return service;
}

function describe(script: string, child: ChildProcess): ServiceProcess {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8");
    stream?.on("data", (chunk: string) => (output += chunk));
  }
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  const service: ServiceProcess = {
    pid: child.pid ?? 0,
    output: () => output,
    logLines: () =>
      output
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    ended,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      const late = sleep(STOP_MS, "late" as const, { ref: false });
      const end = await Promise.race([ended, late]);
      if (end !== "late") return end;
      child.kill("SIGKILL");
      throw new Error(`${script} did not end within ${STOP_MS} ms of ${signal}:\n${output.slice(-4000)}`);
    },
    async [Symbol.asyncDispose]() {
      await service.stop();
    },
  };
  return service;
}
