import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { findFreePort } from "../../../scripts/postgres/free-port.ts";
import { type RunningPostgres, startPostgres } from "../../../scripts/postgres/start-postgres.ts";
import { guardPostgres } from "@waymark/test-support/postgres/guard.ts";
import { query } from "@waymark/test-support/sql.ts";
import { databaseUrl, migrateForTests } from "@waymark/test-support/template-database.ts";
import { waitUntil } from "@waymark/test-support/wait-until.ts";

export interface OwnPostgres extends AsyncDisposable {
  /** A new migrated database; the address stays the same across restarts. */
  createDatabase(name: string): Promise<string>;
  isRunning(): boolean;
  /** Kills the server like a power failure. Resolves when it has ended. */
  kill(): Promise<void>;
  /**
   * Kills one of the services' backends. The server then closes all connections and recovers.
   *
   * @returns 1, or 0 if there was none
   */
  killBackend(choice: number): Promise<number>;
  start(): Promise<void>;
  /** Starts a server that follows this one. From then on, this one commits only what the other one has. */
  startStandby(): Promise<Standby>;
}

/** A server that follows another one, and can only be read. */
export interface Standby extends AsyncDisposable {
  port: number;
  /** Ends following. Resolves when the server accepts writes. */
  promote(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** A cluster of the test's own, to be killed, because all tests share the other one. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const folder = mkdtempSync(path.join(tmpdir(), "waymark-faults-"));
  // If the tests run as root, the server runs as another user, who needs access.
  chmodSync(folder, 0o755);
  const settings = { port: String(await findFreePort()), max_connections: "200", log_min_messages: "fatal" };
  const release = guardPostgres(folder, { removes: true });
  let running: RunningPostgres | undefined = await startPostgres({ folder, settings });
  const maintenanceUrl = running.databaseUrl;
  await query({ databaseUrl: maintenanceUrl }, "CREATE DATABASE migrated");
  await migrateForTests(databaseUrl(maintenanceUrl, "migrated"));

  return {
    async createDatabase(name) {
      await query({ databaseUrl: maintenanceUrl }, `CREATE DATABASE ${name} TEMPLATE migrated`);
      return databaseUrl(maintenanceUrl, name);
    },
    isRunning: () => running !== undefined,
    async kill() {
      const victim = running;
      running = undefined;
      if (victim === undefined) return;
      process.kill(victim.pid, "SIGKILL");
      await victim.gone;
    },
    async killBackend(choice) {
      const rows = await query<{ pid: number }>(
        { databaseUrl: maintenanceUrl },
        `SELECT pid FROM pg_stat_activity
         WHERE application_name LIKE 'waymark-%' AND pid <> pg_backend_pid() ORDER BY pid`,
      );
      const victim = rows[choice % Math.max(rows.length, 1)];
      if (victim === undefined) return 0;
      process.kill(victim.pid, "SIGKILL");
      return 1;
    },
    async start() {
      running ??= await startPostgres({ folder, settings });
    },
    async startStandby() {
      await running?.stop();
      const copy = `${folder}-standby`;
      execFileSync("cp", ["-a", folder, copy]);
      running = await startPostgres({ folder, settings });
      const standby = await startCopy(copy, { settings, primaryUrl: maintenanceUrl });
      const primary = { databaseUrl: maintenanceUrl };
      await query(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'");
      await query(primary, "SELECT pg_reload_conf()");
      await waitUntil("the standby follows", async () => {
        const rows = await query(primary, "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'");
        return rows.length === 1;
      });
      return standby;
    },
    async [Symbol.asyncDispose]() {
      await running?.stop();
      release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a copy of a stopped cluster as a standby of it. */
async function startCopy(
  folder: string,
  { settings, primaryUrl }: { settings: Record<string, string>; primaryUrl: string },
): Promise<Standby> {
  const release = guardPostgres(folder, { removes: true });
  writeFileSync(path.join(folder, "postgres", "standby.signal"), "");
  const port = await findFreePort();
  const own = { ...settings, port: String(port), primary_conninfo: primaryUrl };
  let running: RunningPostgres | undefined = await startPostgres({ folder, settings: own });
  const stop = async () => {
    await running?.stop();
    running = undefined;
  };
  return {
    port,
    async promote() {
      if (running !== undefined) await query(running, "SELECT pg_promote()");
    },
    stop,
    async start() {
      running ??= await startPostgres({ folder, settings: own });
    },
    async [Symbol.asyncDispose]() {
      await stop();
      release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
