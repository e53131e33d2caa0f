import { createReconnectOptions } from "@waymark/server/lib/redis-reconnect.ts";
import { Redis } from "ioredis";

/** After this time without a response, the server is gone or needs a new connection. */
const SOCKET_TIMEOUT_MS = 5_000;

/** A connection for counting, or undefined without Redis. While Redis is unavailable, commands fail immediately. */
export function connectLimitStore(
  redisUrl: string | undefined,
  onError: (error: Error) => void,
): Redis | undefined {
  if (redisUrl === undefined) return undefined;
  const redis = new Redis(redisUrl, {
    connectTimeout: 5_000,
    socketTimeout: SOCKET_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    ...createReconnectOptions(),
  });
  redis.on("error", onError);
  return redis;
}
