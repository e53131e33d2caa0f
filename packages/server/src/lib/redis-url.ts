import { z } from "zod";

const INSTEAD =
  "Fix: the address of one server, or of a proxy that leads to the current primary (HAProxy, a virtual address, or your provider's " +
  "primary endpoint). Without Redis nothing is lost and scans go on, so one server with a replica is enough";

// Forms in which other programs take several servers.
const SENTINEL = /^rediss?[+-]sentinel:|^sentinel:|[?&#]sentinel/i;
const SENTINEL_PORT = ":26379";
const CLUSTER = /^rediss?[+-]cluster:|^cluster:|[?&#]cluster/i;

/** The address of one Redis or Valkey server. */
export const RedisUrl = z.string().superRefine((value, ctx) => {
  const message = explain(value);
  if (message !== undefined) ctx.addIssue({ code: "custom", message });
});

function explain(value: string): string | undefined {
  const [, hosts = ""] = /^[^/]*\/\/(?:[^/?#]*@)?([^/?#@]*)/.exec(value) ?? [];
  if (SENTINEL.test(value) || hosts.endsWith(SENTINEL_PORT))
    return `must not be an address of Sentinel: Waymark does not ask Sentinels. ${INSTEAD}`;
  if (CLUSTER.test(value)) return `must not be a Redis cluster: Waymark's queue needs one server. ${INSTEAD}`;
  if (hosts.includes(",")) return `must not name several servers (Sentinels or a cluster). ${INSTEAD}`;
  const isRedis = URL.canParse(value) && ["redis:", "rediss:"].includes(new URL(value).protocol);
  return isRedis ? undefined : "must be a redis:// or rediss:// address";
}
