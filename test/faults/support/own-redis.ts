import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { inject } from "vitest";
import { findFreePort } from "../../../scripts/postgres/free-port.ts";
import { waitForRedis } from "@waymark/test-support/redis.ts";

const endWithParent = fileURLToPath(new URL("../../support/end-with-parent.ts", import.meta.url));

export interface OwnRedis extends AsyncDisposable {
  /** The address, which restarts don't change. */
  url: string;
  port: number;
  isRunning(): boolean;
  /** SIGKILL. Its files stay. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** SIGSTOP: it accepts connections and doesn't respond until it is resumed. */
  pause(): void;
  resume(): void;
}

/**
 * A Redis process of the test's own, to be killed.
 *
 * @param options.appendOnly whether it writes an append-only file, so that jobs survive a restart
 * @param options.password needed by its clients, and sent to the primary that it follows
 * @param options.settings further lines of its configuration
 * @param options.isSentinel whether it is a Sentinel, which has no data
 * @throws Error if there is no redis-server or valkey-server
 */
export async function startOwnRedis({
  appendOnly = false,
  password,
  settings = [],
  isSentinel = false,
}: {
  appendOnly?: boolean;
  password?: string;
  settings?: readonly string[];
  isSentinel?: boolean;
}): Promise<OwnRedis> {
  const source = inject("redisSource");
  const file = source.kind === "none" ? undefined : source.file;
  if (file === undefined) {
    throw new Error(
      "This test kills its own Redis and needs redis-server or valkey-server on the PATH " +
        "(Debian and Ubuntu: apt-get install redis-server; macOS: brew install redis).",
    );
  }
  const folder = mkdtempSync(path.join(tmpdir(), "waymark-redis-"));
  const port = await findFreePort();
  const login = password === undefined ? "" : `:${encodeURIComponent(password)}@`;
  const url = `redis://${login}127.0.0.1:${port}/0`;
  const following = isSentinel ? [] : [`masterauth "${password}"`];
  const passwords = password === undefined ? [] : [`requirepass "${password}"`, ...following];
  const persistence = ['save ""', `appendonly ${appendOnly ? "yes" : "no"}`, "appendfsync everysec"];
  const lines = [`port ${port}`, "bind 127.0.0.1", `dir ${folder}`, ...(isSentinel ? [] : persistence)];
  // A Sentinel writes its own state into the file.
  const configuration = path.join(folder, "redis.conf");
  writeFileSync(configuration, [...lines, ...passwords, ...settings, ""].join("\n"));
  const args = [configuration, ...(isSentinel ? ["--sentinel"] : [])];
  let child: ChildProcess | undefined;
  let ready = false;
  /** The process id of Redis itself, which `child` runs. */
  let pid = 0;

  const redis: OwnRedis = {
    url,
    port,
    isRunning: () => ready,
    async kill() {
      const victim = child;
      child = undefined;
      ready = false;
      if (victim === undefined) return;
      victim.stdin?.end();
      if (victim.exitCode === null) await once(victim, "exit");
    },
    async start() {
      if (child !== undefined) return;
      const started = spawn(process.execPath, [endWithParent, file, ...args], {
        stdio: ["pipe", "pipe", "pipe"],
      });
      child = started;
      await waitForRedis(url, started);
      pid = await processId(url);
      ready = true;
    },
    pause: () => void process.kill(pid, "SIGSTOP"),
    resume: () => void process.kill(pid, "SIGCONT"),
    async [Symbol.asyncDispose]() {
      await redis.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await redis.start();
  return redis;
}

async function processId(url: string): Promise<number> {
  const client = new Redis(url);
  try {
    return Number(/process_id:(\d+)/.exec(await client.info("server"))?.[1]);
  } finally {
    client.disconnect();
  }
}
