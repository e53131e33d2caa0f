import type { PgPool } from "bullmq";
import type { RedisOptions } from "ioredis";
import { createQueuePool } from "../db/pool.ts";
import { parseRedisUrl } from "../lib/redis/address.ts";
import { connectRedis, type RedisConnection } from "../lib/redis/connect.ts";

/** Idle connections to a server that is gone are detected after this time plus 10 s. */
const KEEP_ALIVE_MS = 10_000;

/** Connections for a queue, and for a worker, which uses one of them to listen. */
const POSTGRES_CONNECTIONS_MAX = 5;

/** BullMQ on Redis if `redisUrl` is set, otherwise on Postgres, with the same code. */
export interface QueueBackend {
  redisUrl: string | undefined;
  /** A direct connection: the Postgres backend uses LISTEN, which poolers in transaction mode don't support. */
  databaseUrl: string;
}

export interface QueueEvents {
  /** A connection or a command failed. Called repeatedly during an outage. */
  onError: (error: Error) => void;
  /** A connection was established, or a command succeeded. */
  onUsable?: () => void;
}

export function openPostgresPool(databaseUrl: string, onError: (error: Error) => void): PgPool {
  // BullMQ accepts pg's pool.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the types of listeners differ: BullMQ declares overloads, pg a generic
  return createQueuePool(databaseUrl, { max: POSTGRES_CONNECTIONS_MAX, onError }) as unknown as PgPool;
}

/** A key for testing whether Redis accepts writes. In a cluster it is on the node with the queues' keys. */
const PROBE_KEY = "waymark:queue-probe:{bull}";
const PROBE_MS = 1_000;

/** Writes, because a read would also succeed on a replica or a full server. */
export async function probeRedis(connection: RedisConnection): Promise<void> {
  await connection.set(PROBE_KEY, "", "PX", PROBE_MS);
}

/** A connection for queues, and what the names of their keys begin with. */
export interface RedisQueues {
  connection: RedisConnection;
  prefix: string;
}

export function openRedis(
  redisUrl: string,
  onError: (error: Error) => void,
  options: RedisOptions,
): RedisQueues {
  return {
    connection: connectRedis(redisUrl, onError, { keepAlive: KEEP_ALIVE_MS, ...options }),
    // In a cluster, all keys of a queue must be in one slot: that of the name in braces.
    prefix: parseRedisUrl(redisUrl).kind === "cluster" ? "{bull}" : "bull",
  };
}
