/** A Redis or Valkey server, or a Sentinel. */
export interface RedisHost {
  host: string;
  port: number;
}

interface Login {
  username?: string;
  password?: string;
}

/** Where Redis is: one server, the primary that Sentinels know, or a cluster. */
export type RedisAddress =
  | { kind: "server"; url: string; hosts: readonly RedisHost[] }
  | {
      kind: "sentinel";
      hosts: readonly RedisHost[];
      /** The name under which the Sentinels know the servers. */
      name: string;
      db: number;
      login: Login;
      sentinelLogin: Login;
      tls: boolean;
    }
  | { kind: "cluster"; hosts: readonly RedisHost[]; login: Login; tls: boolean };

/** An address that can't be used. Its message follows the name of a variable, and contains no part of the address. */
export class RedisAddressError extends Error {}

const SERVER_PORT = 6379;
const SENTINEL_PORT = 26_379;

const SENTINEL_FORM = "redis+sentinel://user:password@host1:26379,host2:26379/NAME";
const CLUSTER_FORM = "redis+cluster://user:password@host1:6379,host2:6379";
const ESCAPES = "In a user name or password, write @ as %40, / as %2F, ? as %3F, # as %23 and % as %25";

// Forms in which other programs take several servers.
const OTHER_SENTINEL = /^rediss?-sentinel:|^sentinel:|[?&#]sentinel/i;
const OTHER_CLUSTER = /^rediss?-cluster:|^cluster:|[?&#]cluster/i;

/**
 * Reads the address of Redis.
 *
 * @throws RedisAddressError that says how to write it
 */
export function parseRedisUrl(text: string): RedisAddress {
  const several = /^(rediss?)\+(sentinel|cluster):\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(text);
  if (several === null) return parseServer(text);
  const [, protocol, kind, authority = "", path = "", query = ""] = several;
  const at = authority.lastIndexOf("@");
  const login = readLogin(at === -1 ? "" : authority.slice(0, at));
  const places = authority.slice(at + 1);
  const tls = protocol === "rediss";
  if (kind === "cluster") {
    if (path !== "" && path !== "0")
      throw new RedisAddressError(`must not name a database: a cluster has only one. Write ${CLUSTER_FORM}`);
    if (query !== "") throw new RedisAddressError(`must not have parameters. Write ${CLUSTER_FORM}`);
    return { kind, hosts: readHosts(places, SERVER_PORT), login, tls };
  }
  const [name = "", db = "0", ...rest] = path.split("/");
  if (name === "" || rest.length > 0 || !/^\d+$/.test(db))
    throw new RedisAddressError(
      `must have the name under which the Sentinels know the servers, and the number of a database if it is not 0. Write ${SENTINEL_FORM}`,
    );
  return {
    kind: "sentinel",
    hosts: readHosts(places, SENTINEL_PORT),
    name: decode(name),
    db: Number(db),
    login,
    sentinelLogin: readSentinelLogin(query),
    tls,
  };
}

function parseServer(text: string): RedisAddress {
  const [, hosts = ""] = /^[^/]*\/\/(?:[^/?#]*@)?([^/?#@]*)/.exec(text) ?? [];
  if (OTHER_SENTINEL.test(text) || hosts.endsWith(`:${SENTINEL_PORT}`))
    throw new RedisAddressError(`must name Sentinels in this form: ${SENTINEL_FORM}`);
  if (OTHER_CLUSTER.test(text))
    throw new RedisAddressError(`must name a cluster in this form: ${CLUSTER_FORM}`);
  if (hosts.includes(","))
    throw new RedisAddressError(`must say what its servers are: ${SENTINEL_FORM} or ${CLUSTER_FORM}`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["redis:", "rediss:"].includes(url.protocol))
    throw new RedisAddressError("must be a redis:// or rediss:// address, such as redis://host:6379");
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return { kind: "server", url: text, hosts: [{ host, port: Number(url.port) || SERVER_PORT }] };
}

function readHosts(text: string, defaultPort: number): RedisHost[] {
  return text.split(",").map((each) => {
    const [, bracketed, plain, port = String(defaultPort)] =
      /^(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+))(?::(\d+))?$/.exec(each) ?? [];
    const host = bracketed ?? plain;
    if (host === undefined || Number(port) < 1 || Number(port) > 65_535)
      throw new RedisAddressError(
        `must have hosts with ports from 1 to 65535, separated by commas. Write an IPv6 address in brackets. ${ESCAPES}`,
      );
    return { host, port: Number(port) };
  });
}

/** As in other addresses of Redis: a user name is optional, also before a password. */
function readLogin(text: string): Login {
  const colon = text.indexOf(":");
  const [username, password] = colon === -1 ? [text, ""] : [text.slice(0, colon), text.slice(colon + 1)];
  return loginOf(decode(username), decode(password));
}

function readSentinelLogin(query: string): Login {
  const parameters = new Map<string, string>();
  for (const pair of query.split("&").filter((each) => each !== "")) {
    const [, name = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    if (name !== "sentinelUsername" && name !== "sentinelPassword")
      throw new RedisAddressError(
        `may have the parameters sentinelUsername and sentinelPassword only, the Sentinels' own login. ${ESCAPES}`,
      );
    parameters.set(name, decode(value));
  }
  return loginOf(parameters.get("sentinelUsername") ?? "", parameters.get("sentinelPassword") ?? "");
}

function loginOf(username: string, password: string): Login {
  return { ...(username === "" ? {} : { username }), ...(password === "" ? {} : { password }) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RedisAddressError(`has a % that is no escape. ${ESCAPES}`);
  }
}
