import path from "node:path";
import type { TestProject } from "vitest/node";
import { root } from "../scripts/bootstrap/checkout.mjs";
import { startPostgres } from "../scripts/postgres/start-postgres.ts";
import { bundleServices } from "@waymark/test-support/bundle-services.ts";
import "@waymark/test-support/provided.ts";
import { findRedisSource } from "@waymark/test-support/redis-source.ts";
import { dropLeftOverDatabases, prepareTemplate } from "@waymark/test-support/template-database.ts";

// Everything is written and flushed as in production; only the housekeeping waits until the tests are done.
const SETTINGS = {
  max_connections: "300",
  max_wal_size: "4GB",
  checkpoint_timeout: "30min",
  log_checkpoints: "off",
  log_min_messages: "fatal",
};

/**
 * One Postgres for the whole run: TEST_DATABASE_URL (a login that may create databases and roles), else the embedded
 * one, kept below .waymark/test so that the next run finds it made.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await bundleServices();
  const given = process.env["TEST_DATABASE_URL"];
  const postgres =
    given === undefined
      ? await startPostgres({ folder: path.join(root, ".waymark/test"), settings: SETTINGS })
      : { databaseUrl: given, stop: async () => undefined };
  try {
    await dropLeftOverDatabases(postgres.databaseUrl);
    project.provide("maintenanceUrl", postgres.databaseUrl);
    project.provide("templateDatabase", await prepareTemplate(postgres.databaseUrl));
    project.provide("redisSource", await findRedisSource());
  } catch (error) {
    await postgres.stop();
    throw error;
  }
  return () => postgres.stop();
}
