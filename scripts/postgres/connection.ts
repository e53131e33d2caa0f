import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { isAlive } from "../bootstrap/process-table.mjs";
import type { Cluster } from "./cluster.ts";

// Between writing its pid file and listening, a server needs a few milliseconds.
const LISTENING_MS = 2_000;
const CONNECT_MS = 10_000;
declare module "pg" {
  interface Client {
    /** Whether the open connection keeps the process alive. */
    ref(): void;
    unref(): void;
  }
}

const LAUNCHER = "waymark launcher ";
const STARTS_OR_STOPS = "57P03";
// Above every platform's highest process id: never alive.
const NO_PROCESS = 2_147_483_646;

/** A superuser's connection to the running server. While it is open, the server counts this process as a launcher. */
export interface ServerConnection {
  client: Client;
  pid: number;
  port: number;
}

/**
 * Connects to the server that runs on the cluster, and waits for one that starts, recovers or shuts down. The process id
 * in `postmaster.pid` alone proves nothing: another program may have it now.
 *
 * @returns undefined when no server runs on it
 */
export async function connectToServer(cluster: Cluster): Promise<ServerConnection | undefined> {
  const giveUpAt = Date.now() + LISTENING_MS;
  for (;;) {
    const lines = pidFileLines(cluster.directory);
    const [pid, port] = [Number(lines?.[0]), Number(lines?.[3])];
    if (!(pid > 0 && port > 0)) return undefined;
    const client = await tryToConnect(port, cluster);
    if (client === "no server" && (!isAlive(pid) || Date.now() > giveUpAt)) return undefined;
    if (typeof client === "object") return { client, pid, port };
    await sleep(25);
  }
}

async function tryToConnect(
  port: number,
  { directory, password }: Cluster,
): Promise<Client | "no server" | "not ready"> {
  const client = new Client({
    host: "127.0.0.1",
    port,
    user: "postgres",
    password,
    database: "postgres",
    application_name: `${LAUNCHER}${process.pid}`,
    connectionTimeoutMillis: CONNECT_MS,
  });
  // The connection's end says that the server is gone; the error before it says no more.
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>("SHOW data_directory");
    if (realpathSync(rows[0]?.data_directory ?? "") === directory) return client;
    await client.end();
    return "no server";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "28P01") {
      throw new Error(
        `The Postgres on port ${port} refuses the password that is kept for the database in ${directory}. ` +
          "If you changed the password, write it into postgres.json; if it is another server, stop that one.",
        { cause: error },
      );
    }
    return code === STARTS_OR_STOPS ? "not ready" : "no server";
  }
}

/** The process ids of the launchers that use the server now, without this process. */
export async function otherLaunchers({ client }: ServerConnection): Promise<number[]> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT application_name AS name FROM pg_stat_activity WHERE starts_with(application_name, $1)",
    [LAUNCHER],
  );
  const pids = rows.map(({ name }) => Number(name.slice(LAUNCHER.length)));
  // The server may not have noticed yet that a launcher was killed.
  return pids.filter((pid) => pid !== process.pid && isAlive(pid));
}

/**
 * Makes a `postmaster.pid` harmless that a killed server left behind and whose process id lives on, as a zombie or as
 * another program: Postgres would take it for a running server. The file stays, with an id that nobody has, because
 * Postgres also finds in it which shared memory orphaned backends may still use.
 */
export function disownPidFile({ directory }: Cluster): void {
  const lines = pidFileLines(directory);
  if (lines === undefined) return;
  writeFileSync(path.join(directory, "postmaster.pid"), [String(NO_PROCESS), ...lines.slice(1)].join("\n"));
}

function pidFileLines(directory: string): string[] | undefined {
  try {
    return readFileSync(path.join(directory, "postmaster.pid"), "utf8").split("\n");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
