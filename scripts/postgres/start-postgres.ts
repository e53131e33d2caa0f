import { closeSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, DatabaseError } from "pg";
import { withFileLock } from "../bootstrap/file-lock.mjs";
import { openLog } from "../service.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import { findFreePort } from "./free-port.ts";
import { findInstallation, type Installation, runPostgresProgram } from "./installation.ts";

const DATABASE = "waymark";
/** Names of the connections by which a server's launchers are counted, followed by their process id. */
export const LAUNCHER = "waymark launcher ";
const OWN_NAME = `${LAUNCHER}${process.pid}`;
const PREFERRED_PORT = 54_329;
const START_SECONDS = "120";
const STOP_SECONDS = "30";
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  timezone: "UTC",
  log_timezone: "UTC",
};
const STARTS_OR_STOPS = "57P03";
// Above every platform's highest process id: never alive.
const NO_PROCESS = "2147483646";

export interface RunningPostgres {
  /** The superuser's address, with the password. Never log it. */
  databaseUrl: string;
  pid: number;
  /** Resolves when the server has ended, or has closed all connections. */
  gone: Promise<void>;
  /** Stops the server, unless another launcher uses it too. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Where cluster, password and log are kept. It is made when missing. */
  folder: string;
  /** Used if it is free; otherwise any other. */
  port?: number;
  /** `-c name=value` of the server. One that runs already keeps those it was started with. */
  settings?: Record<string, string>;
  /** The package with the server, if not the embedded one. */
  packageFolder?: string;
}

interface ServerConnection {
  client: Client;
  pid: number;
  port: number;
}

/**
 * Starts the embedded Postgres of a data folder, or uses the one that runs on it already. The server outlives a killed
 * launcher; the next call finds it.
 *
 * @throws Error with the end of the server's log when it doesn't come up
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { folder } = options;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const lock = path.join(realpathSync(folder), "postgres.lock");
  return withFileLock(lock, {}, async () => {
    const installation = await findInstallation(options.packageFolder);
    const cluster = await openCluster(folder, installation);
    const server = (await connectToServer(cluster)) ?? (await launch(options, cluster, installation));
    const { client, pid, port } = server;
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
    return {
      databaseUrl: `postgres://postgres:${cluster.password}@127.0.0.1:${port}/${DATABASE}`,
      pid,
      gone: new Promise<void>((resolve) => client.once("end", resolve)),
      stop: () => withFileLock(lock, {}, () => leave(server, cluster, installation)),
    };
  });
}

/**
 * A superuser's connection to the server that runs on the cluster; undefined when none does. Waits for one that starts,
 * recovers or stops. The process id in `postmaster.pid` alone proves nothing: another program may have it now.
 */
async function connectToServer({ directory, password }: Cluster): Promise<ServerConnection | undefined> {
  for (;;) {
    const lines = readPidFile(directory);
    const [pid, port] = [Number(lines[0]), Number(lines[3])];
    if (!(pid > 0 && port > 0)) return undefined;
    const login = { host: "127.0.0.1", port, user: "postgres", password, database: "postgres" };
    const client = new Client({ ...login, application_name: OWN_NAME, connectionTimeoutMillis: 10_000 });
    // The connection's end says that the server is gone; the error before it says no more.
    client.on("error", () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ data_directory: string }>("SHOW data_directory");
      if (realpathSync(rows[0]?.data_directory ?? "") === directory) return { client, pid, port };
      await client.end();
      return undefined;
    } catch (error) {
      // Nothing listens there, or something else than Postgres.
      if (!(error instanceof DatabaseError)) return undefined;
      if (error.code !== STARTS_OR_STOPS) {
        throw new Error(
          `The Postgres on port ${port} has the database in ${directory} and refuses the password in postgres.json ` +
            `(${error.message}). If you changed the password, write it there; if it is another server, stop that one.`,
          { cause: error },
        );
      }
      await sleep(25);
    }
  }
}

async function launch(
  { folder, port: wanted = PREFERRED_PORT, settings = {} }: PostgresOptions,
  cluster: Cluster,
  installation: Installation,
): Promise<ServerConnection> {
  const logFile = path.join(folder, "postgres.log");
  const deadline = Date.now() + Number(START_SECONDS) * 1000;
  for (;;) {
    disownPidFile(cluster);
    const port = await findFreePort(wanted);
    const log = openLog(logFile);
    const logBefore = readFileSync(logFile, "utf8").length;
    const all = Object.entries({ ...SETTINGS, port, ...settings });
    const serverOptions = all.flatMap(([name, value]) => ["-o", `-c "${name}=${value}"`]);
    const args = ["start", "-s", "-w", "-t", START_SECONDS, "-D", cluster.directory, ...serverOptions];
    await runPostgresProgram(installation, ["pg_ctl", ...args], log).finally(() => closeSync(log));
    const server = await connectToServer(cluster);
    if (server !== undefined) return server;

    const told = readFileSync(logFile, "utf8").slice(logBefore);
    // Backends of a killed server need a moment to notice; a port may be taken since we looked.
    const passing = /shared memory block .* is still in use|Address already in use/.test(told);
    if (!passing || Date.now() > deadline) {
      const end = told.trim().split("\n").slice(-15).join("\n");
      throw new Error(`The embedded Postgres did not start. Its log (${logFile}) ends with:\n${end}`);
    }
    await sleep(100);
  }
}

async function leave(left: ServerConnection, cluster: Cluster, installation: Installation): Promise<void> {
  await left.client.end();
  const server = await connectToServer(cluster);
  if (server === undefined) return;
  const { rowCount } = await server.client.query(
    "SELECT FROM pg_stat_activity WHERE starts_with(application_name, $1) AND application_name <> $2",
    [LAUNCHER, OWN_NAME],
  );
  await server.client.end();
  if (rowCount !== 0) return;
  const args = ["pg_ctl", "stop", "-s", "-w", "-t", STOP_SECONDS, "-D", cluster.directory, "-m"];
  // Fast: rolls back open transactions, and writes everything.
  const problem = await runPostgresProgram(installation, [...args, "fast"]);
  if (problem !== undefined) await runPostgresProgram(installation, [...args, "immediate"]);
}

/**
 * Makes a `postmaster.pid` harmless that a killed server left behind and whose process id lives on, as a zombie or as
 * another program: Postgres would take it for a running server. The file stays, with an id that nobody has, because
 * Postgres also finds in it which shared memory orphaned backends may still use.
 */
function disownPidFile({ directory }: Cluster): void {
  const lines = readPidFile(directory).with(0, NO_PROCESS);
  if (lines.length > 1) writeFileSync(path.join(directory, "postmaster.pid"), lines.join("\n"));
}

function readPidFile(directory: string): string[] {
  const file = path.join(directory, "postmaster.pid");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n") : [""];
}
