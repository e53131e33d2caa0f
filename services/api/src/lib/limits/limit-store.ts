import { Redis } from "ioredis";

/** A connection for counting, or undefined where there is no Redis. Commands fail at once while it is not there. */
export function connectLimitStore(
  redisUrl: string | undefined,
  onError: (error: Error) => void,
): Redis | undefined {
  if (redisUrl === undefined) return undefined;
  const redis = new Redis(redisUrl, {
    connectTimeout: 5_000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  });
  redis.on("error", onError);
  return redis;
}
