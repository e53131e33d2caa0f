import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { get } from "node:http";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../bootstrap/checkout.mjs";

// Above the half minute after which a service ends itself.
const STOP_MS = 35_000;
const LOG_BYTES_MAX = 5_000_000;
const endWithParent = new URL("../bootstrap/end-with-parent.mjs", import.meta.url).href;

/** One of our own processes: the api or the worker. */
export interface Service {
  name: string;
  /** Resolves with how it ended, in words. */
  ended: Promise<string>;
  hasEnded(): boolean;
  /** The end of what it wrote. */
  lastOutput(): string;
  /** Asks it to finish what it does and waits; after 35 seconds it is killed. */
  stop(): Promise<void>;
  kill(): void;
}

/** Starts `script` with its output in `<folder>/<name>.log`. It ends with this process at the latest. */
export function startService(
  name: string,
  { script, folder, env }: { script: string; folder: string; env: NodeJS.ProcessEnv },
): Service {
  const logFile = path.join(folder, `${name}.log`);
  const log = openLog(logFile);
  const child = spawn(process.execPath, ["--import", endWithParent, path.join(root, script)], {
    cwd: root,
    env,
    stdio: ["ignore", log, log, "ipc"],
  });
  closeSync(log);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`could not be started: ${error.message}`));
    child.once("exit", (code, signal) =>
      resolve(signal === null ? `ended with code ${code}` : `was ended by ${signal}`),
    );
  });
  return {
    name,
    ended,
    hasEnded: () => hasExited(child),
    lastOutput: () => readFileSync(logFile, "utf8").trim().split("\n").slice(-15).join("\n"),
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      await ended;
      clearTimeout(timer);
    },
    kill: () => void child.kill("SIGKILL"),
  };
}

/** @throws Error with the service's last output when it ends first, or stays unready for a minute */
export async function untilReady(service: Service, readyUrl: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await answers(readyUrl))) {
    signal.throwIfAborted();
    if (service.hasEnded()) throw new Error(await describeEnd(service));
    if (Date.now() > deadline) {
      throw new Error(
        `The ${service.name} is not ready after a minute. Its last output:\n${service.lastOutput()}`,
      );
    }
    await sleep(50);
  }
}

export async function describeEnd(service: Service): Promise<string> {
  return `The ${service.name} ${await service.ended}. Its last output:\n${service.lastOutput()}`;
}

/** Not by `fetch`, which refuses some ports. */
async function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { timeout: 5_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
  });
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

// A log begins anew when it has grown large; the services write to it directly, so it can't be turned while they run.
function openLog(file: string): number {
  const large = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES_MAX;
  return openSync(file, large ? "w" : "a", 0o600);
}
