import { Redis } from "ioredis";
import { waitUntil } from "@waymark/test-support/wait-until.ts";
import { findFreePort } from "../../../scripts/postgres/free-port.ts";
import { type OwnRedis, startOwnRedis } from "./own-redis.ts";

/** Servers of which one can fail, and another one takes its place. */
export interface RedisGroup extends AsyncDisposable {
  /** The address for the services. */
  url: string;
  /** Ports that the address does not name, and that processes connect to. */
  unnamed: readonly number[];
  /** The server that has the queues' keys. */
  primary: OwnRedis;
  /** Resolves with the server that has taken over, after the primary was killed. */
  successor(): Promise<OwnRedis>;
}

const NAME = "queues";
const PASSWORD = "a password with @ and /";
/** How long a server may be silent until the others choose another one. */
const SILENCE_MS = 2_000;

/** A primary and its replica, both with a password, and three Sentinels, which have none. */
async function sentinel(): Promise<RedisGroup> {
  const started = new AsyncDisposableStack();
  const primary = started.use(await startOwnRedis({ password: PASSWORD }));
  const following = [`replicaof 127.0.0.1 ${primary.port}`];
  const replica = started.use(await startOwnRedis({ password: PASSWORD, settings: following }));
  const watching = [
    `sentinel monitor ${NAME} 127.0.0.1 ${primary.port} 2`,
    `sentinel auth-pass ${NAME} "${PASSWORD}"`,
    `sentinel down-after-milliseconds ${NAME} ${SILENCE_MS}`,
    `sentinel failover-timeout ${NAME} 10000`,
  ];
  const sentinels = await Promise.all(
    [1, 2, 3].map(() => startOwnRedis({ settings: watching, isSentinel: true })),
  );
  for (const each of sentinels) started.use(each);
  const [first, second, third] = sentinels;
  if (first === undefined || second === undefined || third === undefined)
    throw new Error("there are three Sentinels");
  const admin = new Redis(first.url);
  started.defer(() => admin.disconnect());
  // They find each other, and the replica, by way of the primary.
  await waitUntil("the Sentinels know each other and the replica", async () => {
    const known = await admin.call("SENTINEL", "SENTINELS", NAME);
    const replicas = await admin.call("SENTINEL", "REPLICAS", NAME);
    return (
      Array.isArray(known) && known.length === 2 && JSON.stringify(replicas).includes(String(replica.port))
    );
  });
  return {
    url: `redis+sentinel://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${first.port},127.0.0.1:${second.port}/${NAME}`,
    unnamed: [third.port, replica.port],
    primary,
    async successor() {
      await waitUntil("the Sentinels promote the replica", async () =>
        JSON.stringify(await admin.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)).includes(
          String(replica.port),
        ),
      );
      return replica;
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Three primaries, of which the one with the queues' keys has a replica. */
async function cluster(): Promise<RedisGroup> {
  const started = new AsyncDisposableStack();
  const nodes = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const busPort = await findFreePort();
      const settings = [
        "cluster-enabled yes",
        `cluster-port ${busPort}`,
        `cluster-node-timeout ${SILENCE_MS}`,
      ];
      const server = started.use(await startOwnRedis({ settings }));
      const admin = new Redis(server.url);
      admin.on("error", () => undefined);
      started.defer(() => admin.disconnect());
      return { server, admin, busPort };
    }),
  );
  const [first, second, third, replica] = nodes;
  if (first === undefined || second === undefined || third === undefined || replica === undefined)
    throw new Error("there are four nodes");
  for (const { server, busPort } of nodes)
    await first.admin.call("CLUSTER", "MEET", "127.0.0.1", server.port, busPort);
  const ranges = [
    [first, 0, 5_460],
    [second, 5_461, 10_922],
    [third, 10_923, 16_383],
  ] as const;
  for (const [node, from, to] of ranges) await node.admin.call("CLUSTER", "ADDSLOTSRANGE", from, to);
  const slot = Number(await first.admin.call("CLUSTER", "KEYSLOT", "{bull}"));
  const [primary] = ranges.find(([, from, to]) => slot >= from && slot <= to) ?? [first];
  const id = await primary.admin.call("CLUSTER", "MYID");
  await waitUntil("the nodes know each other", async () =>
    String(await replica.admin.call("CLUSTER", "NODES")).includes(String(id)),
  );
  await replica.admin.call("CLUSTER", "REPLICATE", String(id));
  for (const { admin } of nodes)
    await waitUntil("the cluster is up", async () =>
      String(await admin.call("CLUSTER", "INFO")).includes("cluster_state:ok"),
    );
  await waitUntil("the replica follows", async () =>
    (await replica.admin.info("replication")).includes("master_link_status:up"),
  );
  const hosts = [first, second, third].map(({ server }) => `127.0.0.1:${server.port}`).join(",");
  return {
    url: `redis+cluster://${hosts}`,
    unnamed: [replica.server.port],
    primary: primary.server,
    async successor() {
      await waitUntil("the replica is promoted", async () =>
        (await replica.admin.info("replication")).includes("role:master"),
      );
      return replica.server;
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

export const REDIS_GROUPS = { sentinel, cluster };
