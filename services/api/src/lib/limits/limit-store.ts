import { createReconnectOptions } from "@waymark/shared/lib/redis-reconnect.ts";
import { Redis } from "ioredis";

/** A server that owes an answer for so long has gone, or will be reached over a new connection. */
const SOCKET_TIMEOUT_MS = 5_000;

/** A connection for counting, or undefined where there is no Redis. Commands fail at once while it is not there. */
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
