import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { startPostgres } from "../scripts/postgres/start-postgres.ts";
import { bundleServices } from "@waymark/test-support/bundle-services.ts";
import { postgresFolder } from "@waymark/test-support/postgres/folder.ts";
import { guardPostgres } from "@waymark/test-support/postgres/guard.ts";
import "@waymark/test-support/provided.ts";
import { findRedisSource } from "@waymark/test-support/redis-source.ts";
import { dropLeftOverDatabases, prepareTemplate } from "@waymark/test-support/template-database.ts";

// No test ends this server's machine: nothing has to be on the disk. Tests that kill a server start their own.
const SETTINGS = {
  max_connections: "300",
  fsync: "off",
  full_page_writes: "off",
  // Little, since it may be memory.
  max_wal_size: "512MB",
  min_wal_size: "32MB",
  checkpoint_timeout: "30min",
  log_checkpoints: "off",
  log_min_messages: "fatal",
};

/**
 * One Postgres for the whole run: TEST_DATABASE_URL (a login that may create databases and roles), else the embedded
 * one, kept so that the next run finds it made.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const bundled = bundleServices();
  const redisSource = findRedisSource();
  // Whoever waits for them gets the error.
  for (const each of [bundled, redisSource]) each.catch(() => undefined);
  const given = process.env["TEST_DATABASE_URL"];
  const postgres =
    given === undefined ? await startOwn() : { databaseUrl: given, stop: async () => undefined };
  const packFolder = mkdtempSync(path.join(tmpdir(), "waymark-packed-"));
  // A test installs from it as another user.
  chmodSync(packFolder, 0o755);
  project.provide("packFolder", packFolder);
  const tearDown = () => {
    rmSync(packFolder, { recursive: true, force: true });
    return postgres.stop();
  };
  try {
    await dropLeftOverDatabases(postgres.databaseUrl);
    project.provide("maintenanceUrl", postgres.databaseUrl);
    await bundled;
    project.provide("templateDatabase", await prepareTemplate(postgres.databaseUrl));
    project.provide("redisSource", await redisSource);
  } catch (error) {
    await tearDown();
    throw error;
  }
  return tearDown;
}

async function startOwn(): Promise<{ databaseUrl: string; stop: () => Promise<void> }> {
  const folder = postgresFolder();
  const release = guardPostgres(folder, { removes: false });
  const postgres = await startPostgres({ folder, settings: SETTINGS });
  return {
    databaseUrl: postgres.databaseUrl,
    async stop() {
      await postgres.stop();
      release();
    },
  };
}
