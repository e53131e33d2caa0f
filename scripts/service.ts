import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "./bootstrap/checkout.mjs";

// Above the half minute after which a service ends itself.
const STOP_MS = 35_000;
const LOG_BYTES_MAX = 5_000_000;
const endWithParent = new URL("bootstrap/end-with-parent.mjs", import.meta.url).href;

export interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** An api, a worker or the example API, as `npm start`, the tests and the benchmark start it. */
export interface Service {
  script: string;
  pid: number;
  child: ChildProcess;
  /** Everything it has written so far, standard output and standard error together. */
  output(): string;
  /** Resolves when it has ended, for whatever reason; rejects if it could not be started. */
  ended: Promise<End>;
  /**
   * Sends the signal and waits for the end.
   *
   * @throws Error if the process does not end in time; it is killed then
   */
  stop(signal?: NodeJS.Signals): Promise<End>;
}

export interface ServiceOptions {
  env: NodeJS.ProcessEnv;
  /** Where its output goes; without one it is kept in memory. */
  logFile?: string;
  /** Arguments of Node itself. */
  nodeArgs?: readonly string[];
  args?: readonly string[];
  stopMs?: number;
}

/** Starts `script` of the checkout. It ends with this process at the latest. */
export function startService(
  script: string,
  { env, logFile, nodeArgs = [], args = [], stopMs = STOP_MS }: ServiceOptions,
): Service {
  const log = logFile === undefined ? "pipe" : openLog(logFile);
  const command = ["--import", endWithParent, ...nodeArgs, path.resolve(root, script), ...args];
  const child = spawn(process.execPath, command, { cwd: root, env, stdio: ["ignore", log, log, "ipc"] });
  if (log !== "pipe") closeSync(log);
  let kept = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => (kept += chunk));
  }
  const output = () => (logFile === undefined ? kept : readFileSync(logFile, "utf8"));
  const ended = new Promise<End>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  // Prevents an unhandled rejection before anything waits for it.
  ended.catch(() => undefined);
  return {
    script,
    pid: child.pid ?? 0,
    child,
    output,
    ended,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      const end = await Promise.race([ended, sleep(stopMs, undefined, { ref: false })]);
      if (end !== undefined) return end;
      child.kill("SIGKILL");
      await ended;
      const told = lastLines(output());
      throw new Error(`${script} did not end within ${stopMs / 1000} s of ${signal} and was killed.${told}`);
    },
  };
}

/**
 * Waits until the process is ready.
 *
 * @throws Error with its last output when it ends first, or is not ready in time: then it is killed
 */
export async function untilReady(
  service: Service,
  isReady: () => Promise<boolean>,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<void> {
  const { child, script } = service;
  const deadline = Date.now() + timeoutMs;
  while (!(await isReady().catch(() => false))) {
    signal?.throwIfAborted();
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
      throw new Error(await describeEnd(service));
    }
    if (Date.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`${script} is not ready after ${timeoutMs / 1000} s.${lastLines(service.output())}`);
    }
    await sleep(25);
  }
}

/** How it ended, in words. */
export async function describeEnd(service: Service): Promise<string> {
  const { code, signal } = await service.ended;
  const end = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
  const [, name] = /\bservices\/(\w+)\//.exec(service.script) ?? [];
  return `${name === undefined ? service.script : `The ${name}`} ${end}.${lastLines(service.output())}`;
}

function lastLines(output: string): string {
  return ` Its last output:\n${output.trim().split("\n").slice(-30).join("\n")}`;
}

/** A descriptor for appending. A large log is truncated at start, because the writing process can't change files. */
export function openLog(file: string): number {
  const large = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES_MAX;
  return openSync(file, large ? "w" : "a", 0o600);
}
