import { connectRedis, type RedisConnection } from "@waymark/server/lib/redis/connect.ts";

/** After this time without a response, the server is gone or needs a new connection. */
const SOCKET_TIMEOUT_MS = 5_000;

/** A connection for counting, or undefined without Redis. While Redis is unavailable, commands fail immediately. */
export function connectLimitStore(
  redisUrl: string | undefined,
  onError: (error: Error) => void,
): RedisConnection | undefined {
  if (redisUrl === undefined) return undefined;
  return connectRedis(redisUrl, onError, {
    socketTimeout: SOCKET_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  });
}
