import { Redis } from "ioredis";
import { startTcpProxy } from "@waymark/test-support/tcp-proxy.ts";
import { waitUntil } from "@waymark/test-support/wait-until.ts";
import { startOwnRedis } from "./own-redis.ts";

/** A Redis of the test's own, and one kind of failure. */
export interface RedisFault extends AsyncDisposable {
  /** The address for the services. It stays the same. */
  url: string;
  begin(): Promise<void>;
  end(): Promise<void>;
  /** The address of the server that `url` leads to after the failure has ended. */
  urlAfterwards: string;
  /** Open connections of the services to a server that they should no longer use. */
  clientsLeftBehind(): Promise<number>;
}

/** SIGKILL. It comes back empty, because it has no files. */
async function killed(): Promise<RedisFault> {
  const redis = await startOwnRedis({ appendOnly: false });
  return {
    url: redis.url,
    urlAfterwards: redis.url,
    begin: () => redis.kill(),
    end: () => redis.start(),
    clientsLeftBehind: async () => 0,
    [Symbol.asyncDispose]: () => redis[Symbol.asyncDispose](),
  };
}

/** SIGSTOP: the kernel accepts connections, and nothing responds. */
async function blocked(): Promise<RedisFault> {
  const redis = await startOwnRedis({ appendOnly: false });
  return {
    url: redis.url,
    urlAfterwards: redis.url,
    begin: async () => redis.pause(),
    end: async () => redis.resume(),
    clientsLeftBehind: async () => 0,
    [Symbol.asyncDispose]: () => redis[Symbol.asyncDispose](),
  };
}

/** `maxmemory` is reached, with noeviction: reads succeed, writes fail with OOM. */
async function full(): Promise<RedisFault> {
  const redis = await startOwnRedis({ appendOnly: false });
  const admin = new Redis(redis.url);
  return {
    url: redis.url,
    urlAfterwards: redis.url,
    async begin() {
      await admin.set("filler", "x".repeat(2 * 1024 * 1024));
      await admin.config("SET", "maxmemory", "1mb");
    },
    async end() {
      await admin.config("SET", "maxmemory", "0");
      await admin.del("filler");
    },
    clientsLeftBehind: async () => 0,
    async [Symbol.asyncDispose]() {
      admin.disconnect();
      await redis[Symbol.asyncDispose]();
    },
  };
}

/**
 * A fail-over under a stable address: the server that clients are connected to becomes a replica and keeps their
 * connections, and a while later the address leads to the new primary.
 */
async function readOnly(): Promise<RedisFault> {
  const [first, second] = [
    await startOwnRedis({ appendOnly: false }),
    await startOwnRedis({ appendOnly: false }),
  ];
  const proxy = await startTcpProxy(first.url);
  const [firstAdmin, secondAdmin] = [new Redis(first.url), new Redis(second.url)];
  const follows = async (replica: Redis, primary: { url: string }) => {
    await replica.replicaof("127.0.0.1", new URL(primary.url).port);
    const isLinked = async () => (await replica.info("replication")).includes("master_link_status:up");
    await waitUntil("the replica follows its primary", isLinked);
  };
  await follows(secondAdmin, first);
  return {
    url: proxy.url,
    urlAfterwards: second.url,
    async begin() {
      // Replication is asynchronous: the fail-over would lose what the replica has not received yet.
      await firstAdmin.set("last-write", "before the fail-over");
      await firstAdmin.wait(1, 10_000);
      await secondAdmin.replicaof("NO", "ONE");
      await follows(firstAdmin, second);
    },
    end: async () => proxy.leadTo(second.url),
    async clientsLeftBehind() {
      const list = String(await firstAdmin.client("LIST", "TYPE", "NORMAL"));
      return list.trim().split("\n").length - 1;
    },
    async [Symbol.asyncDispose]() {
      for (const admin of [firstAdmin, secondAdmin]) admin.disconnect();
      await proxy[Symbol.asyncDispose]();
      await Promise.all([first[Symbol.asyncDispose](), second[Symbol.asyncDispose]()]);
    },
  };
}

export const REDIS_FAULTS = { killed, blocked, full, "read-only": readOnly };
