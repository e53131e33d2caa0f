import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { startPostgres } from "../../scripts/postgres/start-postgres.ts";
import { findRedisSource } from "@waymark/test-support/redis-source.ts";
import { openRedis } from "@waymark/test-support/redis.ts";
import { databaseUrl, prepareTemplate, withClient } from "@waymark/test-support/template-database.ts";

// One server for everything that is compared. fsync and synchronous_commit are on, as they are by default; the log
// segments are many, so that no checkpoint falls on one subject and spares another.
const SETTINGS = {
  max_connections: "300",
  shared_buffers: "512MB",
  max_wal_size: "8GB",
  checkpoint_timeout: "30min",
  // Records when each run's transaction committed, without queries during the measurement.
  track_commit_timestamp: "on",
  log_min_messages: "warning",
};

export interface Environment extends AsyncDisposable {
  logFolder: string;
  /** A new database: with Waymark's schema, or an empty one. The address is the owner's. */
  createDatabase(name: string, kind: "waymark" | "empty"): Promise<string>;
  /** A Redis of its own for each caller. */
  startRedis(): Promise<string>;
  /** A fresh process, ended with the environment. */
  own<T extends AsyncDisposable>(resource: T): T;
}

/** Real Postgres and real Redis, with nothing of an earlier run in them. */
export async function startEnvironment(): Promise<Environment> {
  const resources = new AsyncDisposableStack();
  const folder = path.join(root, ".waymark/bench");
  const logFolder = path.join(folder, "logs");
  rmSync(logFolder, { recursive: true, force: true });
  mkdirSync(logFolder, { recursive: true });
  const postgres = await startPostgres({ folder, settings: SETTINGS });
  resources.defer(async () => {
    await postgres.stop();
    // Gigabytes that are not needed again.
    rmSync(path.join(folder, "postgres"), { recursive: true, force: true });
  });
  const redisSource = await findRedisSource();
  let template: string | undefined;

  return {
    logFolder,
    own: (resource) => resources.use(resource),
    async createDatabase(name, kind) {
      if (kind === "waymark") template ??= await prepareTemplate(postgres.databaseUrl);
      await withClient(postgres.databaseUrl, async (client) => {
        await client.query(`DROP DATABASE IF EXISTS bench_${name} WITH (FORCE)`);
        await client.query(
          `CREATE DATABASE bench_${name} TEMPLATE ${kind === "waymark" ? template : "template0"}`,
        );
      });
      return databaseUrl(postgres.databaseUrl, `bench_${name}`);
    },
    async startRedis() {
      return resources.use(await openRedis(redisSource)).url;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
