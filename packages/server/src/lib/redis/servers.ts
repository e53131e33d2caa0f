import { Redis } from "ioredis";
import { z } from "zod";
import { parseRedisUrl, type RedisAddress, type RedisHost } from "./address.ts";

const TIMEOUT_MS = 2_000;

/** An answer of a Sentinel about a server: names and values in turn. */
const SentinelServers = z.array(z.array(z.string()));
/** For each range of slots its first and last one, then its nodes: host, port, id. */
const ClusterSlots = z.array(
  z.tuple([z.number(), z.number()]).rest(z.tuple([z.string().nullable(), z.number()]).rest(z.unknown())),
);

/**
 * Lists the servers of an address: those that it names, and those that they name, which processes connect to. A server that
 * can't be asked now names none.
 *
 * @throws RedisAddressError
 */
export async function listRedisServers(redisUrl: string): Promise<RedisHost[]> {
  const address = parseRedisUrl(redisUrl);
  const found = await Promise.all(address.hosts.map((host) => serversKnownTo(host, address).catch(() => [])));
  return [...address.hosts, ...found.flat()];
}

async function serversKnownTo(host: RedisHost, address: RedisAddress): Promise<RedisHost[]> {
  if (address.kind === "server") return [];
  const login = address.kind === "sentinel" ? address.sentinelLogin : address.login;
  const client = new Redis({
    ...host,
    ...login,
    ...(address.tls ? { tls: {} } : {}),
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    retryStrategy: () => null,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await (address.kind === "sentinel" ? askSentinel(client, address.name) : askNode(client, host));
  } finally {
    client.disconnect();
  }
}

async function askSentinel(client: Redis, name: string): Promise<RedisHost[]> {
  const primary = z
    .tuple([z.string(), z.string()])
    .nullable()
    .parse(await client.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name));
  const replicas = SentinelServers.parse(await client.call("SENTINEL", "REPLICAS", name));
  const sentinels = SentinelServers.parse(await client.call("SENTINEL", "SENTINELS", name));
  const valueOf = (fields: readonly string[], field: string) => fields[fields.indexOf(field) + 1] ?? "";
  const places = [...replicas, ...sentinels].map(
    (fields) => [valueOf(fields, "ip"), valueOf(fields, "port")] as const,
  );
  return [...(primary === null ? [] : [primary]), ...places].map(([host, port]) => ({
    host,
    port: Number(port),
  }));
}

async function askNode(client: Redis, asked: RedisHost): Promise<RedisHost[]> {
  const slots = ClusterSlots.parse(await client.call("CLUSTER", "SLOTS"));
  // A node that doesn't know its own name leaves it empty.
  return slots.flatMap(([, , ...nodes]) =>
    nodes.map(([host, port]) => ({ host: host === null || host === "" ? asked.host : host, port })),
  );
}
