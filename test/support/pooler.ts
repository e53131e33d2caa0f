import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { serverAccount } from "../../scripts/postgres/installation.ts";
import { findOrInstall } from "./debian-package.ts";
import { serviceUrl } from "./service-url.ts";

const endWithParent = fileURLToPath(new URL("end-with-parent.ts", import.meta.url));
const MANUAL =
  "This test needs a real pooler: put pgbouncer on the PATH (Debian and Ubuntu: apt-get install pgbouncer; " +
  "macOS: brew install pgbouncer).";
const START_MS = 60_000;

export interface PoolerOptions {
  mode: "session" | "transaction";
  /** Start-up parameters that it ignores instead of refusing the connection. */
  ignored?: string;
}

export interface Pooler extends AsyncDisposable {
  /** The owner's address, through the pooler. The services' login works too. */
  url: string;
}

/**
 * PgBouncer in front of a database, without prepared statements in transaction mode.
 *
 * @throws Error that says what to do if there is no PgBouncer
 */
export async function startPooler(
  databaseUrl: string,
  {
    mode,
    ignored = "extra_float_digits,options,statement_timeout,idle_in_transaction_session_timeout",
  }: PoolerOptions,
): Promise<Pooler> {
  const program = await findOrInstall(["pgbouncer"], { debianPackage: "pgbouncer", manual: MANUAL });
  if (!("file" in program)) throw new Error(program.whatToDo);
  const port = await findFreePort();
  const folder = mkdtempSync(path.join(tmpdir(), "waymark-pgbouncer-"));
  // PgBouncer refuses to run as root, and reads its files as another user.
  chmodSync(folder, 0o755);
  const users = [databaseUrl, serviceUrl(databaseUrl)].map((url) => new URL(url));
  const lines = users.map(({ username, password }) => `"${username}" "${decodeURIComponent(password)}"`);
  writeFileSync(path.join(folder, "users.txt"), `${lines.join("\n")}\n`);
  const file = path.join(folder, "pgbouncer.ini");
  const settings = { mode, ignored, port, folder, statements: statementsSetting(program.file) };
  writeFileSync(file, configuration(new URL(databaseUrl), settings));
  const account = serverAccount();
  const as = account === undefined ? [] : [`--as=${account.uid}:${account.gid}`];
  const child = spawn(process.execPath, [endWithParent, ...as, program.file, file], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const url = Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href;
  const deadline = Date.now() + START_MS;
  while (!(await isUp(url))) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`PgBouncer did not start:\n${output}`);
    await sleep(50);
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** From 1.21 on it supports them, unless this setting says otherwise; before, the setting is unknown. */
function statementsSetting(file: string): string {
  const [, major, minor] =
    /PgBouncer (\d+)\.(\d+)/.exec(execFileSync(file, ["--version"], { encoding: "utf8" })) ?? [];
  return Number(major) > 1 || Number(minor) >= 21 ? "max_prepared_statements = 0" : "";
}

function configuration(
  server: URL,
  {
    mode,
    ignored,
    port,
    folder,
    statements,
  }: PoolerOptions & { port: number; folder: string; statements: string },
): string {
  return `
[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${path.join(folder, "users.txt")}
pool_mode = ${mode}
ignore_startup_parameters = ${ignored}
${statements}
`;
}

async function isUp(url: string): Promise<boolean> {
  const client = new Client(url);
  try {
    await client.connect();
    await client.query("SELECT 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}
