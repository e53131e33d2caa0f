import type { PgPool } from "bullmq";
import { Redis, type RedisOptions } from "ioredis";
import { createQueuePool } from "../db/pool.ts";
import { createReconnectOptions } from "../lib/redis-reconnect.ts";

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

export function openRedis(redisUrl: string, onError: (error: Error) => void, options: RedisOptions): Redis {
  const connection = new Redis(redisUrl, {
    connectTimeout: 5_000,
    keepAlive: KEEP_ALIVE_MS,
    ...createReconnectOptions(),
    ...options,
  });
  connection.on("error", onError);
  return connection;
}
