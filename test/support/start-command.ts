import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { cleanEnvironment, COMPILE_CACHE } from "./run-node.ts";
import { waitUntil } from "./wait-until.ts";

// A start that takes ten seconds on an idle machine may take a minute on a busy one.
const READY_MS = 180_000;

export interface StartCommand {
  /** scripts/run.mjs, the leader of a process group of its own, as a shell makes it. */
  launcher: ChildProcess;
  apiUrl: string;
  output(): string;
  untilPrinted(text: string): Promise<void>;
  /** Resolves with the exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
}

export interface StartPlace extends AsyncDisposable {
  /** WAYMARK_DATA_DIR of its starts. */
  folder: string;
  port: number;
  /** Where the example API listens, if the port is free. */
  examplePort: number;
  start(env?: Record<string, string>, args?: readonly string[]): StartCommand;
  /** The processes of this data directory, by their environment and command line. */
  processes(): { pid: number; command: string }[];
  killAll(): Promise<void>;
}

/** A data directory and a port of a test's own to run the real `npm start` in. Disposing kills what is left. */
export async function createStartPlace(): Promise<StartPlace> {
  const parent = mkdtempSync(path.join(tmpdir(), "waymark-start-"));
  // Root runs Postgres as another user, who must reach it.
  chmodSync(parent, 0o755);
  const folder = path.join(parent, "data");
  const port = await findFreePort();
  const metricsPort = await findFreePort();
  const examplePort = await findFreePort();
  const place: StartPlace = {
    folder,
    port,
    examplePort,
    start: (env = {}, args = []) =>
      runStart(port, args, {
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        EXAMPLE_API_PORT: String(examplePort),
        WAYMARK_DATA_DIR: folder,
        ...env,
      }),
    processes: () => processesOf(folder),
    async killAll() {
      // A process may start another one before it ends.
      await waitUntil("the end of what npm start had started", () => {
        const left = place.processes();
        for (const { pid } of left) killIfAlive(pid);
        return left.length === 0;
      });
    },
    async [Symbol.asyncDispose]() {
      await place.killAll();
      rmSync(parent, { recursive: true, force: true });
    },
  };
  return place;
}

/** A process may have ended since it was listed. */
function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function runStart(port: number, args: readonly string[], env: Record<string, string>): StartCommand {
  const launcher = spawn(process.execPath, ["scripts/run.mjs", "scripts/dev.ts", ...args], {
    cwd: root,
    env: cleanEnvironment({ ...COMPILE_CACHE, ...env }),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [launcher.stdout, launcher.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  }
  let hasClosed = false;
  const ended = new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    launcher.once("error", reject);
    launcher.once("close", (code, signal) => {
      hasClosed = true;
      resolve(code ?? signal);
    });
  });
  return {
    launcher,
    apiUrl: `http://127.0.0.1:${port}`,
    output: () => output,
    async untilPrinted(text) {
      const deadline = Date.now() + READY_MS;
      while (!output.includes(text)) {
        // Its output is complete when its streams have closed.
        if (hasClosed || Date.now() > deadline) {
          throw new Error(`npm start did not print ${JSON.stringify(text)}:\n${output}`);
        }
        await sleep(20);
      }
    },
    ended,
  };
}

// The folder's name is unique: it stands in the environment of our processes and on the command line of Postgres,
// which gets a clean environment.
function processesOf(folder: string): { pid: number; command: string }[] {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const command = readProc(name, "cmdline").replaceAll("\0", " ").trim();
      const ours = command.includes(folder) || readProc(name, "environ").includes(folder);
      // A zombie has no command line: it has ended, and its parent has not reaped it yet.
      return ours && command !== "" ? [{ pid: Number(name), command }] : [];
    });
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    // Ended meanwhile, or of another user.
    return "";
  }
}
