import { Cluster, Redis, type RedisOptions } from "ioredis";
import { parseRedisUrl } from "./address.ts";
import { createReconnectOptions } from "./reconnect.ts";

/** A connection to one server, to the primary that Sentinels name, or to a cluster. */
export type RedisConnection = Redis | Cluster;

const CONNECT_TIMEOUT_MS = 5_000;
/** How long a Sentinel, or a node that is asked for the cluster's slots, has for its answer. */
const DISCOVERY_TIMEOUT_MS = 2_000;

/**
 * Opens a connection, which connects again whenever it is lost: to whichever server is the primary then.
 *
 * @param options how commands are sent. Of a cluster, they hold for each node
 * @throws RedisAddressError
 */
export function connectRedis(
  redisUrl: string,
  onError: (error: Error) => void,
  options: RedisOptions,
): RedisConnection {
  const connection = open(redisUrl, options);
  connection.on("error", onError);
  return connection;
}

function open(redisUrl: string, given: RedisOptions): RedisConnection {
  const reconnect = createReconnectOptions();
  const options = { connectTimeout: CONNECT_TIMEOUT_MS, ...reconnect, ...given };
  const address = parseRedisUrl(redisUrl);
  if (address.kind === "server") return new Redis(address.url, options);
  const login = { ...address.login, ...(address.tls ? { tls: {} } : {}) };
  if (address.kind === "cluster") {
    const { enableOfflineQueue = true, ...perNode } = options;
    return new Cluster([...address.hosts], {
      enableOfflineQueue,
      redisOptions: { ...perNode, ...login },
      clusterRetryStrategy: reconnect.retryStrategy,
      slotsRefreshTimeout: DISCOVERY_TIMEOUT_MS,
      // Names stay names, because certificates are for them.
      dnsLookup: (host, callback) => callback(null, host),
    });
  }
  const { name, db, sentinelLogin } = address;
  return new Redis({
    ...options,
    ...login,
    name,
    db,
    sentinels: [...address.hosts],
    ...(sentinelLogin.username === undefined ? {} : { sentinelUsername: sentinelLogin.username }),
    ...(sentinelLogin.password === undefined ? {} : { sentinelPassword: sentinelLogin.password }),
    ...(address.tls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
    sentinelRetryStrategy: reconnect.retryStrategy,
    sentinelCommandTimeout: DISCOVERY_TIMEOUT_MS,
  });
}
