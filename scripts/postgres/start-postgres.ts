import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, statSync, truncateSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { withFileLock } from "../bootstrap/file-lock.mjs";
import { isAlive } from "../bootstrap/process-table.mjs";
import { type Account, serverAccount } from "./account.ts";
import { findBinaries } from "./binaries.ts";
import { DATABASE, openCluster, postgresEnvironment } from "./cluster.ts";
import { findFreePort, isPortFree } from "./free-port.ts";
import { type Postmaster, disownStalePidFile, runningPostmaster } from "./postmaster-pid.ts";
import { registerUser, unregisterUser } from "./users.ts";

const READY_MS = 120_000;
const STOP_MS = 30_000;
const LOG_BYTES_MAX = 5_000_000;
const PREFERRED_PORT = 54_329;

export interface RunningPostgres {
  /** The superuser's address. It holds the password: never to be logged. */
  databaseUrl: string;
  pid: number;
  /** It ran already, left by a launcher that was killed or used by one that lives. */
  adopted: boolean;
  /** Resolves when the server is gone, whoever ended it. */
  gone: Promise<void>;
  /** Ends the server, unless another launcher uses it too. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Where cluster, password and log are kept. It is made when missing. */
  folder: string;
  /** Taken when it is free; any other otherwise. */
  port?: number;
  /** `-c name=value` of the server. A server that is adopted keeps those it was started with. */
  settings?: Record<string, string>;
}

/**
 * Starts the embedded Postgres of a data directory, or adopts the one that runs on it already. The server outlives a
 * killed launcher; the next call finds it.
 *
 * @throws Error with the end of the server's log when it doesn't come up
 */
export async function startPostgres({
  folder,
  port = PREFERRED_PORT,
  settings = {},
}: PostgresOptions): Promise<RunningPostgres> {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const lock = path.join(folder, "postgres.lock");
  return withFileLock(lock, {}, async () => {
    const account = serverAccount();
    const binaries = findBinaries(account);
    const cluster = await openCluster(folder, { binaries, account });
    const found = await findReadyServer(cluster.directory);
    const server =
      found ?? (await launch({ folder, directory: cluster.directory, binaries, account, port, settings }));
    registerUser(folder);
    return {
      databaseUrl: `postgres://postgres:${cluster.password}@127.0.0.1:${server.port}/${DATABASE}`,
      pid: server.pid,
      adopted: found !== undefined,
      gone: whenGone(server.pid),
      stop: () =>
        withFileLock(lock, {}, async () => {
          if (unregisterUser(folder)) await stopServer(server.pid);
        }),
    };
  });
}

/** Waits for one that starts, recovers or shuts down, until it is ready or gone. */
async function findReadyServer(directory: string): Promise<Postmaster | undefined> {
  for (;;) {
    const server = runningPostmaster(directory);
    if (server === undefined || server.ready) return server;
    await sleep(25);
  }
}

interface Launch {
  folder: string;
  directory: string;
  binaries: string;
  account: Account | undefined;
  port: number;
  settings: Record<string, string>;
}

async function launch(options: Launch): Promise<Postmaster> {
  const deadline = Date.now() + READY_MS;
  for (;;) {
    disownStalePidFile(options.directory);
    const port = (await isPortFree(options.port)) ? options.port : await findFreePort();
    const logFile = openLog(options.folder);
    const logStart = statSync(logFile).size;
    const child = spawnServer(options, { port, logFile });
    const ready = await waitUntilReady(child, { directory: options.directory, deadline });
    if (ready !== undefined) return ready;

    const log = readFileSync(logFile, "utf8").slice(logStart);
    // Backends of a killed server need a moment to notice; a port may be taken since we looked.
    const passing = /shared memory block .* is still in use|Address already in use/.test(log);
    if (!passing || Date.now() > deadline) {
      const end = log.trim().split("\n").slice(-15).join("\n");
      throw new Error(`The embedded Postgres did not start. Its log (${logFile}) ends with:\n${end}`);
    }
    await sleep(100);
  }
}

function spawnServer(
  { directory, binaries, account, settings }: Omit<Launch, "port">,
  { port, logFile }: { port: number; logFile: string },
): ChildProcess {
  const all: Record<string, string> = {
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    timezone: "UTC",
    log_timezone: "UTC",
    ...settings,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const log = openSync(logFile, "a");
  try {
    // In a process group of its own: Ctrl-C must reach the services first, and the server only when they are done.
    const child = spawn(path.join(binaries, "bin/postgres"), ["-D", directory, ...options], {
      ...account,
      cwd: path.parse(binaries).root,
      env: postgresEnvironment(),
      detached: true,
      stdio: ["ignore", log, log],
    });
    child.once("error", () => undefined);
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

async function waitUntilReady(
  child: ChildProcess,
  { directory, deadline }: { directory: string; deadline: number },
): Promise<Postmaster | undefined> {
  while (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    const server = runningPostmaster(directory);
    if (server?.ready === true && server.pid === child.pid) return server;
    if (Date.now() > deadline) {
      child.kill("SIGQUIT");
      return undefined;
    }
    await sleep(10);
  }
  return undefined;
}

async function whenGone(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(250, undefined, { ref: false });
}

// SIGINT is Postgres' fast shutdown: open transactions are rolled back, everything is written.
async function stopServer(pid: number): Promise<void> {
  const deadline = Date.now() + STOP_MS;
  let signal: NodeJS.Signals | undefined = "SIGINT";
  while (isAlive(pid)) {
    if (signal !== undefined) process.kill(pid, signal);
    signal = undefined;
    await sleep(10);
    if (Date.now() > deadline) process.kill(pid, "SIGQUIT");
  }
}

function openLog(folder: string): string {
  const file = path.join(folder, "postgres.log");
  closeSync(openSync(file, "a", 0o600));
  if (statSync(file).size > LOG_BYTES_MAX) truncateSync(file);
  return file;
}
