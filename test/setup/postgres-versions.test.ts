import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { findOrInstall } from "@waymark/test-support/debian-package.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { journeyText, storeDocument } from "@waymark/test-support/journeys.ts";
import { type PostgresServer, startPostgresVersion } from "@waymark/test-support/postgres/versions.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, startApi, startWorker } from "@waymark/test-support/stack.ts";
import { databaseUrl as urlOf, migrateForTests } from "@waymark/test-support/template-database.ts";
import { afterAll, describe, expect, it } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";

const MANUAL =
  "This test needs pg_dump and pg_restore (Debian and Ubuntu: apt-get install postgresql-client).";
/** The version of all other tests. */
const EMBEDDED = 18;

/** A server is made in seconds, and has no role of Waymark's at first. */
const servers = new Map<number, PostgresServer>();
afterAll(async () => {
  for (const server of servers.values()) await server[Symbol.asyncDispose]();
});

async function serverOf(major: number): Promise<PostgresServer> {
  const server = servers.get(major) ?? (await startPostgresVersion(major));
  servers.set(major, server);
  return server;
}

/** Starts api and worker with a queue on Postgres, which uses BullMQ's functions too. */
async function useServices(databaseUrl: string, apiKey: string, work: (http: HttpClient) => Promise<void>) {
  await using api = await startApi({ databaseUrl });
  await using _worker = await startWorker({ databaseUrl });
  await work(createHttpClient(api.baseUrl, { key: apiKey }));
}

async function persistScan(http: HttpClient): Promise<ScanRun> {
  const { status, body } = await ingest({ http }, scanPayload({}));
  expect(status).toBe(201);
  const run = await waitForRun({ http }, body.scanRunId);
  expect(run.status).toBe("completed");
  return run;
}

/** The commands of the page about backups, with the files and addresses of a test. */
async function runPageCommand(program: "pg_dump" | "pg_restore", env: Record<string, string>): Promise<void> {
  const found = await findOrInstall([program], { debianPackage: "postgresql-client", manual: MANUAL });
  if (!("file" in found)) throw new Error(found.whatToDo);
  const page = readFileSync(path.join(root, "docs/operations.md"), "utf8");
  const [command] = new RegExp(`^${program} .*$`, "m").exec(page) ?? [];
  execFileSync("/bin/sh", ["-ec", command ?? "exit 1"], { env: { PATH: process.env["PATH"], ...env } });
}

describe("a backup", { timeout: 300_000 }, () => {
  it("of Postgres 15 is restored on a new server of another version, as the page says", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "waymark-backup-"));
    const BACKUP = path.join(folder, "waymark.dump");
    const source = await serverOf(15);
    await migrateForTests(source.databaseUrl);
    const { apiKey } = await createHostedOrganization(source.databaseUrl);
    let before: ScanRun | undefined;
    await useServices(source.databaseUrl, apiKey, async (http) => {
      before = await persistScan(http);
    });
    await runPageCommand("pg_dump", { DATABASE_URL: source.databaseUrl, BACKUP });

    const target = await serverOf(EMBEDDED - 1);
    await runPageCommand("pg_restore", { DATABASE_URL: target.databaseUrl, BACKUP });
    rmSync(folder, { recursive: true });
    await expect(startApi({ databaseUrl: target.databaseUrl })).rejects.toThrow(
      /Postgres refuses the login of DATABASE_URL.*npm run migrate/,
    );
    await migrateForTests(target.databaseUrl);
    await useServices(target.databaseUrl, apiKey, async (http) => {
      await expect.poll(async () => (await http.get("/readyz")).status).toBe(200);
      expect((await http.get(`/api/scan-runs/${before?.id}`)).body).toEqual(before);
      await persistScan(http);
    });
  });
});

describe("migrations, a scan and a journey's document work", { timeout: 300_000 }, () => {
  it.each([15, 16, 17])("on Postgres %i", async (major) => {
    const server = await serverOf(major);
    await query(server, "CREATE DATABASE fresh");
    const fresh = { databaseUrl: urlOf(server.databaseUrl, "fresh") };
    await migrateForTests(fresh.databaseUrl);
    const [{ version } = {}] = await query<{ version: number }>(
      fresh,
      "SELECT current_setting('server_version_num')::int / 10000 AS version",
    );
    expect(version).toBe(major);
    const { apiKey } = await createHostedOrganization(fresh.databaseUrl);
    await useServices(fresh.databaseUrl, apiKey, async (http) => {
      await persistScan(http);
      const document = { path: "journeys/ping.journey.yaml", text: journeyText("Ping") };
      const { id } = await storeDocument({ http }, document);
      expect((await http.get(`/api/journeys/${id}`)).body).toMatchObject({ path: document.path });
    });
    // Every migration is safe to repeat.
    await migrateForTests(fresh.databaseUrl);
  });

  it("are refused on Postgres 14, with a sentence and without a change", async () => {
    const server = await serverOf(14);
    await expect(migrateForTests(server.databaseUrl)).rejects.toThrow(
      /Postgres 14\.\d+ is too old: Waymark needs Postgres 15 or later\. Nothing was changed\. Fix: /,
    );
    expect(await query(server, "SELECT FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  });
});
