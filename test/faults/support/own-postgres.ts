import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { findFreePort } from "../../../scripts/postgres/free-port.ts";
import { type RunningPostgres, startPostgres } from "../../../scripts/postgres/start-postgres.ts";
import { query } from "@waymark/test-support/sql.ts";
import { databaseUrl, migrateForTests } from "@waymark/test-support/template-database.ts";

export interface OwnPostgres extends AsyncDisposable {
  /** A new migrated database; the address stays the same across restarts. */
  createDatabase(name: string): Promise<string>;
  isRunning(): boolean;
  /** Ends the server as a power cut would. Resolves when it is gone. */
  kill(): Promise<void>;
  /**
   * Ends one of the services' backends, upon which the server throws out everybody and recovers.
   *
   * @returns 1, or 0 when there was none
   */
  killBackend(choice: number): Promise<number>;
  start(): Promise<void>;
}

/** A cluster of the test's own, to be killed: never the one that all tests share. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const folder = mkdtempSync(path.join(tmpdir(), "waymark-faults-"));
  // The server works as another user where the tests run as root, and must get there.
  chmodSync(folder, 0o755);
  const settings = { port: String(await findFreePort()), max_connections: "200", log_min_messages: "fatal" };
  let running: RunningPostgres | undefined = await startPostgres({ folder, settings });
  const maintenanceUrl = running.databaseUrl;

  return {
    async createDatabase(name) {
      await query({ databaseUrl: maintenanceUrl }, `CREATE DATABASE ${name}`);
      const url = databaseUrl(maintenanceUrl, name);
      await migrateForTests(url);
      return url;
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
    async [Symbol.asyncDispose]() {
      await running?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
