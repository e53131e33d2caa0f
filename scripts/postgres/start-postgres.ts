import { closeSync, mkdirSync, openSync, readFileSync, statSync, truncateSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { withFileLock } from "../bootstrap/file-lock.mjs";
import { isAlive } from "../bootstrap/process-table.mjs";
import { serverAccount } from "./account.ts";
import { findBinaries } from "./binaries.ts";
import { type Cluster, DATABASE, openCluster, readCluster } from "./cluster.ts";
import { connectToServer, disownPidFile, otherLaunchers, type ServerConnection } from "./connection.ts";
import { findFreePort, isPortFree } from "./free-port.ts";
import { type Installation, runProgram } from "./program.ts";

const READY_SECONDS = 120;
const STOP_SECONDS = 30;
const LOG_BYTES_MAX = 5_000_000;
const PREFERRED_PORT = 54_329;

export interface RunningPostgres {
  /** The superuser's address. It holds the password: never to be logged. */
  databaseUrl: string;
  pid: number;
  /** It ran already, left by a launcher that was killed or used by one that lives. */
  adopted: boolean;
  /** Resolves when the server is gone, or is no longer used from here. */
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
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { folder } = options;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const lock = path.join(folder, "postgres.lock");
  return withFileLock(lock, {}, async () => {
    const account = serverAccount();
    const installation = { binaries: findBinaries(account), account };
    const cluster = await openCluster(folder, installation);
    const found = await connectToServer(cluster);
    const server = found ?? (await launch(options, cluster, installation));
    await createDatabase(server);
    const gone = new Promise<void>((resolve) => server.client.once("end", resolve));
    // An open connection alone keeps no process alive.
    server.client.unref();
    return {
      databaseUrl: `postgres://postgres:${cluster.password}@127.0.0.1:${server.port}/${DATABASE}`,
      pid: server.pid,
      adopted: found !== undefined,
      gone,
      stop: () => withFileLock(lock, {}, () => leave(server, cluster, installation)),
    };
  });
}

/** The process ids of those that have started the Postgres of this folder and use it now. */
export async function findLaunchers(folder: string): Promise<number[]> {
  const cluster = readCluster(folder);
  const server = cluster && (await connectToServer(cluster));
  if (server === undefined) return [];
  const launchers = await otherLaunchers(server);
  await server.client.end();
  return launchers;
}

async function createDatabase({ client }: ServerConnection): Promise<void> {
  const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [DATABASE]);
  if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
}

async function launch(
  { folder, port: wanted = PREFERRED_PORT, settings = {} }: PostgresOptions,
  cluster: Cluster,
  installation: Installation,
): Promise<ServerConnection> {
  const deadline = Date.now() + READY_SECONDS * 1000;
  for (;;) {
    disownPidFile(cluster);
    const port = (await isPortFree(wanted)) ? wanted : await findFreePort();
    const logFile = openLog(folder);
    const logStart = statSync(logFile).size;
    await pgCtlStart(installation, { directory: cluster.directory, port, settings, logFile });
    const server = await connectToServer(cluster);
    if (server !== undefined) return server;

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

/** Returns when the server is ready or has failed; the log says why. */
async function pgCtlStart(
  installation: Installation,
  {
    directory,
    port,
    settings,
    logFile,
  }: { directory: string; port: number; settings: Record<string, string>; logFile: string },
): Promise<void> {
  const all: Record<string, string> = {
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    timezone: "UTC",
    log_timezone: "UTC",
    ...settings,
  };
  const serverArgs = Object.entries(all).map(([name, value]) => `-c "${name}=${value}"`);
  const log = openSync(logFile, "a");
  try {
    const timeout = ["-w", "-t", String(READY_SECONDS)];
    await runProgram(
      installation,
      ["pg_ctl", "start", "-s", ...timeout, "-D", directory, "-o", serverArgs.join(" ")],
      log,
    );
  } finally {
    closeSync(log);
  }
}

async function leave(left: ServerConnection, cluster: Cluster, installation: Installation): Promise<void> {
  left.client.ref();
  await left.client.end();
  const server = await connectToServer(cluster);
  if (server === undefined) return;
  const isUsed = (await otherLaunchers(server)).length > 0;
  await server.client.end();
  if (isUsed) return;
  const stopArgs = ["pg_ctl", "stop", "-s", "-w", "-t", String(STOP_SECONDS), "-D", cluster.directory];
  const stop = (mode: string) => runProgram(installation, [...stopArgs, "-m", mode]);
  // Fast: open transactions are rolled back, everything is written.
  if ((await stop("fast")) !== undefined) await stop("immediate");
  // Its pid file goes a moment before the process.
  while (isAlive(server.pid)) await sleep(10);
}

function openLog(folder: string): string {
  const file = path.join(folder, "postgres.log");
  closeSync(openSync(file, "a", 0o600));
  if (statSync(file).size > LOG_BYTES_MAX) truncateSync(file);
  return file;
}
