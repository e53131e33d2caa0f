import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import { parseDatabaseUrl } from "@waymark/server/db/address/parse.ts";
import { listRedisServers } from "@waymark/server/lib/redis/servers.ts";
import { repeat } from "../lib/repeat.ts";

interface Address {
  address: string;
  port: number;
}

interface OwnService {
  /** The URLs of the database and of Redis. */
  urls: readonly string[];
  /** The ports that Waymark has on this machine. */
  ports: readonly number[];
}

interface OwnAddresses {
  /** Returns the current addresses. */
  list: () => readonly Address[];
  stop: () => Promise<void>;
}

/** A database that fails over keeps its name, and has another address. */
const LOOK_EVERY_MS = 60_000;

/**
 * Watches the addresses and ports of Waymark itself, which no journey may reach: its database, Redis, metrics and api.
 * A port on this machine is refused on all of the machine's addresses. An address that was Waymark's once stays
 * refused.
 */
export async function watchOwnAddresses(service: OwnService): Promise<OwnAddresses> {
  const known = new Map<string, Address>();
  const look = async () => {
    for (const one of await findOwnAddresses(service)) known.set(`${one.address} ${one.port}`, one);
  };
  await look();
  const looking = repeat(look, { everyMs: LOOK_EVERY_MS, onError: () => undefined });
  return { list: () => [...known.values()], stop: () => looking.stop() };
}

async function findOwnAddresses({ urls, ports }: OwnService): Promise<Address[]> {
  const machine = Object.values(networkInterfaces()).flatMap(
    (list) => list?.map(({ address }) => address) ?? [],
  );
  const here = [...new Set(["127.0.0.1", "::1", "0.0.0.0", "::", ...machine])];
  const found = await Promise.all(urls.map((url) => addressesOf(url)));
  const remote = found.flat();
  const isHere = ({ address }: Address) => here.includes(address);
  const herePorts = new Set([...ports, ...remote.filter(isHere).map(({ port }) => port)]);
  const local = [...herePorts].flatMap((port) => here.map((address) => ({ address, port })));
  return [...local, ...remote.filter((one) => !isHere(one))].filter(({ port }) => port > 0);
}

async function addressesOf(url: string): Promise<Address[]> {
  return (await Promise.all((await placesOf(url)).map(lookUp))).flat();
}

async function lookUp({ host, port }: Place): Promise<Address[]> {
  // A socket's file has no address.
  if (host === "" || host.startsWith("/")) return [];
  // A name that can't be looked up now leads nowhere now, for a journey neither.
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return addresses.map(({ address }) => ({ address, port }));
}

interface Place {
  host: string;
  port: number;
}

async function placesOf(url: string): Promise<readonly Place[]> {
  return /^postgres(?:ql)?:/.test(url) ? parseDatabaseUrl(url).hosts : listRedisServers(url);
}
