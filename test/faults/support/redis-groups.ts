import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Redis } from "ioredis";
import { createTlsCertificate } from "@waymark/test-support/tls-certificate.ts";
import { waitUntil } from "@waymark/test-support/wait-until.ts";
import { findFreePort } from "../../../scripts/postgres/free-port.ts";
import { type OwnRedis, startOwnRedis } from "./own-redis.ts";

/** Servers of which one can fail, and another one takes its place. */
export interface RedisGroup extends AsyncDisposable {
  /** The address for the services. */
  url: string;
  /** Further variables of the services. */
  env: Record<string, string>;
  /** Ports that the address does not name, and that processes connect to. */
  unnamed: readonly number[];
  /** The server that has the queues' keys. */
  primary: OwnRedis;
  /** Resolves with the server that has taken over, after the primary was killed. */
  successor(): Promise<OwnRedis>;
}

const NAME = "queues";
const PASSWORD = "a password with @ and /";
const SENTINEL_PASSWORD = "a password with ? and &";
/** How long a server may be silent until the others choose another one. */
const SILENCE_MS = 2_000;

/** Settings of servers that encrypt their connections, each on a second port; and what their clients need. */
interface Encryption {
  settings: readonly string[];
  env: Record<string, string>;
}

async function makeEncryption(started: AsyncDisposableStack): Promise<Encryption> {
  const folder = mkdtempSync(path.join(tmpdir(), "waymark-redis-tls-"));
  started.defer(() => rmSync(folder, { recursive: true }));
  const { key, cert } = await createTlsCertificate();
  const [keyFile, certificateFile] = [path.join(folder, "key.pem"), path.join(folder, "cert.pem")];
  writeFileSync(keyFile, key);
  writeFileSync(certificateFile, cert);
  const files = [
    `tls-key-file ${keyFile}`,
    `tls-cert-file ${certificateFile}`,
    `tls-ca-cert-file ${certificateFile}`,
  ];
  return {
    settings: [...files, "tls-auth-clients no", "tls-replication yes", "tls-cluster yes"],
    env: { NODE_EXTRA_CA_CERTS: certificateFile },
  };
}

const protocolOf = (encrypted: boolean) => (encrypted ? "rediss" : "redis");

/** Starts a server, and returns the port for others: that with TLS, if there is encryption. */
async function startMember(
  options: { password?: string; isSentinel?: boolean; settings?: readonly string[] },
  encryption: Encryption | undefined,
): Promise<{ server: OwnRedis; publicPort: number }> {
  const { settings = [] } = options;
  const tlsPort = encryption === undefined ? undefined : await findFreePort();
  const own = encryption === undefined ? [] : [`tls-port ${tlsPort}`, ...encryption.settings];
  const server = await startOwnRedis({ ...options, settings: [...own, ...settings] });
  return { server, publicPort: tlsPort ?? server.port };
}

/**
 * A primary and its replica, both with a password, and three Sentinels, which have one of their own if there is encryption. The
 * address names two of them.
 */
async function startSentinels({ encrypted }: { encrypted: boolean }): Promise<RedisGroup> {
  const started = new AsyncDisposableStack();
  const encryption = encrypted ? await makeEncryption(started) : undefined;
  const start = async (options: Parameters<typeof startMember>[0]) => {
    const member = await startMember(options, encryption);
    started.use(member.server);
    return member;
  };
  const primary = await start({ password: PASSWORD });
  const following = [`replicaof 127.0.0.1 ${primary.publicPort}`];
  const replica = await start({ password: PASSWORD, settings: following });
  const watching = [
    `sentinel monitor ${NAME} 127.0.0.1 ${primary.publicPort} 2`,
    `sentinel auth-pass ${NAME} "${PASSWORD}"`,
    ...(encrypted ? [`sentinel sentinel-pass "${SENTINEL_PASSWORD}"`] : []),
    `sentinel down-after-milliseconds ${NAME} ${SILENCE_MS}`,
    `sentinel failover-timeout ${NAME} 10000`,
  ];
  const ownLogin = encrypted ? { password: SENTINEL_PASSWORD } : {};
  const watch = () => start({ settings: watching, isSentinel: true, ...ownLogin });
  const [first, second, third] = await Promise.all([watch(), watch(), watch()]);
  const admin = new Redis(first.server.url);
  started.defer(() => admin.disconnect());
  // They find each other, and the replica, by way of the primary.
  await waitUntil("the Sentinels know each other and the replica", async () => {
    const known = await admin.call("SENTINEL", "SENTINELS", NAME);
    const replicas = JSON.stringify(await admin.call("SENTINEL", "REPLICAS", NAME));
    return Array.isArray(known) && known.length === 2 && replicas.includes(String(replica.publicPort));
  });
  const named = [first, second].map(({ publicPort }) => `127.0.0.1:${publicPort}`).join(",");
  const query = encrypted ? `?sentinelPassword=${encodeURIComponent(SENTINEL_PASSWORD)}` : "";
  return {
    url: `${protocolOf(encrypted)}+sentinel://:${encodeURIComponent(PASSWORD)}@${named}/${NAME}${query}`,
    env: encryption?.env ?? {},
    // This process trusts no certificate of theirs.
    unnamed: encrypted ? [] : [third.publicPort, replica.publicPort],
    primary: primary.server,
    async successor() {
      await waitUntil("the Sentinels promote the replica", async () =>
        JSON.stringify(await admin.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)).includes(
          String(replica.publicPort),
        ),
      );
      return replica.server;
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Three primaries, of which the one with the queues' keys has a replica, all with a password. */
async function startCluster({ encrypted }: { encrypted: boolean }): Promise<RedisGroup> {
  const started = new AsyncDisposableStack();
  const encryption = encrypted ? await makeEncryption(started) : undefined;
  const nodes = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const busPort = await findFreePort();
      const settings = [
        "cluster-enabled yes",
        `cluster-port ${busPort}`,
        `cluster-node-timeout ${SILENCE_MS}`,
      ];
      const { server, publicPort } = await startMember({ password: PASSWORD, settings }, encryption);
      started.use(server);
      const admin = new Redis(server.url);
      admin.on("error", () => undefined);
      started.defer(() => admin.disconnect());
      return { server, publicPort, admin, busPort };
    }),
  );
  const [first, second, third, replica] = nodes;
  if (first === undefined || second === undefined || third === undefined || replica === undefined)
    throw new Error("there are four nodes");
  for (const { publicPort, busPort } of nodes)
    await first.admin.call("CLUSTER", "MEET", "127.0.0.1", publicPort, busPort);
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
  const named = [first, second, third].map(({ publicPort }) => `127.0.0.1:${publicPort}`).join(",");
  return {
    url: `${protocolOf(encrypted)}+cluster://:${encodeURIComponent(PASSWORD)}@${named}`,
    env: encryption?.env ?? {},
    // This process trusts no certificate of theirs.
    unnamed: encrypted ? [] : [replica.publicPort],
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

export const REDIS_GROUPS = {
  sentinel: () => startSentinels({ encrypted: false }),
  "sentinel with TLS": () => startSentinels({ encrypted: true }),
  cluster: () => startCluster({ encrypted: false }),
  "cluster with TLS": () => startCluster({ encrypted: true }),
};
