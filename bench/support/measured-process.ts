import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { cleanEnvironment } from "@waymark/test-support/run-node.ts";
import type { CallAnswer } from "./calls.ts";

const READY_MS = 60_000;
const STOP_MS = 30_000;
const endWithParent = fileURLToPath(new URL("../../scripts/bootstrap/end-with-parent.mjs", import.meta.url));
const probe = fileURLToPath(new URL("probe.ts", import.meta.url));

export interface MeasuredProcess extends AsyncDisposable {
  pid: number;
  /** Asks something inside the process, see `calls.ts`. */
  call<T>(method: string, args?: unknown): Promise<T>;
  log(): string;
}

export interface ProcessOptions {
  env: Record<string, string>;
  /** Its output goes to a file there: reading a pipe would cost the load generator time. */
  logFolder: string;
  isReady: (process: MeasuredProcess) => Promise<boolean>;
}

/**
 * Starts a process to be measured and waits until it is ready. It ends with this one at the latest.
 *
 * @throws Error with the end of its log when it ends or stays unready
 */
export async function startMeasured(script: string, options: ProcessOptions): Promise<MeasuredProcess> {
  const logFile = path.join(options.logFolder, `${path.basename(script, ".ts")}-${Date.now()}.log`);
  const log = openSync(logFile, "a");
  const args = ["--import", endWithParent, "--import", probe, "--expose-gc", script];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: cleanEnvironment(options.env),
    stdio: ["ignore", log, log, "ipc"],
  });
  closeSync(log);
  const measured = describe(script, child, logFile);
  const deadline = Date.now() + READY_MS;
  while (!(await options.isReady(measured).catch(() => false))) {
    const ended = child.exitCode !== null || child.signalCode !== null;
    if (ended || Date.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`${script} did not become ready:\n${measured.log().slice(-4000)}`);
    }
    await sleep(25);
  }
  return measured;
}

function describe(script: string, child: ChildProcess, logFile: string): MeasuredProcess {
  const waiting = new Map<number, (answer: CallAnswer) => void>();
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      for (const [id, settle] of waiting) settle({ id, error: `${script} ended` });
      resolve();
    });
  });
  let calls = 0;
  child.on("message", (answer: CallAnswer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  return {
    pid: child.pid ?? 0,
    log: () => readFileSync(logFile, "utf8"),
    call: <T>(method: string, args?: unknown) =>
      new Promise<T>((resolve, reject) => {
        const id = ++calls;
        waiting.set(id, ({ result, error }) => {
          if (error === undefined) resolve(result as T);
          else reject(new Error(`${script}: ${method}: ${error}`));
        });
        child.send({ id, method, args });
      }),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      const late = await Promise.race([ended, sleep(STOP_MS, "late" as const, { ref: false })]);
      if (late === "late") child.kill("SIGKILL");
    },
  };
}
