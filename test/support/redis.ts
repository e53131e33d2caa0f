import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { inject } from "vitest";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import "./provided.ts";
import type { RedisSource } from "./redis-source.ts";

export interface TestRedis extends AsyncDisposable {
  url: string;
}

const endWithParent = fileURLToPath(new URL("end-with-parent.ts", import.meta.url));

/**
 * An empty real Redis for one test: a container, a process, or a database of the server at REDIS_URL that no other test uses.
 *
 * @throws Error that says what to do if there is none
 */
export async function requireRedis(): Promise<TestRedis> {
  return openRedis(inject("redisSource"));
}

/** Opens an empty Redis of the given source. */
export async function openRedis(source: RedisSource): Promise<TestRedis> {
  if (source.kind === "url") return reserveDatabase(source.url);
  if (source.kind === "docker") return startContainer(source.image);
  if (source.kind === "program") return startRedisServer({ file: source.file });
  throw new Error(source.whatToDo);
}

/** A redis-server or valkey-server process on a port of its own, or on the one given. It keeps nothing on disk. */
export async function startRedisServer({
  file,
  port,
}: {
  file: string;
  port?: number;
}): Promise<TestRedis & { port: number; kill(): Promise<void> }> {
  const folder = mkdtempSync(path.join(tmpdir(), "waymark-redis-"));
  const listen = port ?? (await findFreePort());
  const args = [
    "--port",
    String(listen),
    "--bind",
    "127.0.0.1",
    "--save",
    "",
    "--appendonly",
    "no",
    "--dir",
    folder,
  ];
  const child = spawn(process.execPath, [endWithParent, file, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  const url = `redis://127.0.0.1:${listen}/0`;
  const end = async () => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, "exit");
    rmSync(folder, { recursive: true, force: true });
  };
  await waitForRedis(url, child);
  return { url, port: listen, kill: end, [Symbol.asyncDispose]: end };
}

/** Resolves when it answers, rejects with its output when it ends instead. */
export async function waitForRedis(url: string, child: ChildProcess): Promise<void> {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += String(chunk)));
  const client = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on("error", () => undefined);
  const failed = once(child, "exit").then(() => {
    throw new Error(`Redis did not start:\n${output}`);
  });
  try {
    await Promise.race([client.ping(), failed]);
    failed.catch(() => undefined);
  } finally {
    client.disconnect();
  }
}

async function startContainer(image: string): Promise<TestRedis> {
  const { RedisContainer } = await import("@testcontainers/redis");
  const container = await new RedisContainer(image).start();
  return {
    url: container.getConnectionUrl(),
    async [Symbol.asyncDispose]() {
      await container.stop();
    },
  };
}

// Databases 1 to 15 are reserved by a key in database 0, which expires after a test run was killed.
async function reserveDatabase(serverUrl: string): Promise<TestRedis> {
  const address = (database: number) => Object.assign(new URL(serverUrl), { pathname: `/${database}` }).href;
  const keyOf = (database: number) => `waymark-test-database-${database}`;
  const registry = new Redis(address(0));
  const owner = String(process.pid);
  for (let database = 1; database <= 15; database++) {
    if ((await registry.set(keyOf(database), owner, "EX", 900, "NX")) === null) continue;
    const client = new Redis(address(database));
    await client.flushdb();
    return {
      url: address(database),
      async [Symbol.asyncDispose]() {
        await client.flushdb();
        client.disconnect();
        await registry.del(keyOf(database));
        registry.disconnect();
      },
    };
  }
  registry.disconnect();
  throw new Error(
    "All 15 test databases of the Redis at REDIS_URL are taken; wait 15 minutes or use another one.",
  );
}
