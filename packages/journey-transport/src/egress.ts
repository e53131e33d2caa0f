import { BlockList, isIP } from "node:net";
import type { Policy, PolicyVerdict } from "@waymark/journeys/run/transport.ts";
import { isOnHostList, portOf } from "./host-patterns.ts";
import type { AddressPolicy } from "./http-transport.ts";
import { notPublic, refusePrivate } from "./private-addresses.ts";

/**
 * The destinations that runs in the cloud runner may reach. The rules are plain data, so that they can be sent to
 * another process.
 */
export interface EgressRules {
  /** The environment's hosts: `host` or `host:port`, where `*.` at the beginning stands for one label. */
  allowedHosts: readonly string[];
  /** Private addresses that the operator opens. */
  operatorAllows: readonly EgressAllowance[];
  /** Addresses of Waymark itself. They are refused, whatever else allows them. */
  own: readonly { address: string; port: number }[];
}

/** Addresses that the operator opens: all of a network, at one port or all. */
export interface EgressAllowance {
  address: string;
  prefix: number;
  /** Undefined for every port. */
  port?: number;
}

// Networks of organizations, which an operator may open as a whole. Everything else that is not public is this machine, its
// link, or another form of an address: it is opened by exact address and port only.
const NETWORKS: readonly [string, number, "ipv4" | "ipv6"][] = [
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["fc00::", 7, "ipv6"],
];
/** Metadata services of clouds that lie in such a network, or among the public addresses. */
const METADATA: readonly [string, "ipv4" | "ipv6"][] = [
  ["100.100.100.200", "ipv4"],
  ["168.63.129.16", "ipv4"],
  ["fd00:ec2::254", "ipv6"],
  ["fd20:ce::254", "ipv6"],
];

const SETTING = "The operator of the server can open it with JOURNEY_EGRESS_ALLOW.";

const networks = new BlockList();
for (const [address, prefix, family] of NETWORKS) networks.addSubnet(address, prefix, family);
const metadata = new BlockList();
for (const [address, family] of METADATA) metadata.addAddress(address, family);

/** The entry of a list that can't be read; the message says which. */
export class EgressListError extends Error {}

/**
 * Reads a list of `ADDRESS:PORT`, `NETWORK/PREFIX:PORT` or `NETWORK/PREFIX:*`, separated by commas; IPv6 in brackets.
 *
 * @throws EgressListError for an entry that is none, or that opens more of this machine than one address and port
 */
export function parseEgressAllowances(text: string): EgressAllowance[] {
  const entries = text.split(",").map((entry) => entry.trim());
  return entries.filter((entry) => entry !== "").map(parseAllowance);
}

function parseAllowance(entry: string): EgressAllowance {
  const found = /^(?:\[([^\]/]+)(?:\/(\d+))?\]|([^[\]/:]+)(?:\/(\d+))?):(\*|\d{1,5})$/.exec(entry);
  const [, six, sixPrefix, four, fourPrefix, portText] = found ?? [];
  const address = six ?? four ?? "";
  const family = isIP(address);
  const bits = family === 6 ? 128 : 32;
  const prefix = Number(sixPrefix ?? fourPrefix ?? bits);
  const port = portText === "*" ? undefined : Number(portText);
  if (family === 0 || prefix > bits || (port !== undefined && (port < 1 || port > 65_535))) {
    throw new EgressListError(
      `"${entry}" is not of the form ADDRESS:PORT or NETWORK/PREFIX:PORT, with * for every port and IPv6 in brackets`,
    );
  }
  const isExact = prefix === bits && port !== undefined;
  if (!isExact && !isInNetwork(address)) {
    throw new EgressListError(
      `"${entry}" is no private network: name one address and one port, such as 127.0.0.1:8080`,
    );
  }
  return { address, prefix, ...(port === undefined ? {} : { port }) };
}

/**
 * Decides what a run may send to. `policy` is asked before each request, redirects included, with its final URL;
 * `allowsAddress` within the look-up that connects.
 */
export function createEgress(rules: EgressRules): { policy: Policy; allowsAddress: AddressPolicy } {
  const own = listsOf(rules.own.map(({ address, port }) => ({ address, prefix: bitsOf(address), port })));
  const allowed = listsOf(rules.operatorAllows);
  return {
    policy: ({ url }) => {
      if (url.protocol !== "https:" && url.protocol !== "http:")
        return refused(`${url.protocol} is neither http: nor https:.`);
      if (isOnHostList(url, rules.allowedHosts)) return { allowed: true };
      return refused(`${url.hostname}:${portOf(url)} is not among the allowed hosts of the environment.`);
    },
    allowsAddress: (address, port) => {
      const matches = listMatches(address, port);
      if (own.some(matches)) return refused(notPublic(address, SETTING));
      const isSpecial = isMetadata(address);
      const verdict = refusePrivate(address, SETTING);
      if (verdict.allowed && !isSpecial) return verdict;
      const open = allowed.filter(matches);
      // Within a network that is open as a whole, this machine and metadata services still need an entry of their own.
      const needsExact = isSpecial || !isInNetwork(address);
      if (open.some((list) => list.isExact || !needsExact)) return { allowed: true };
      return isSpecial ? refused(`${address} is a metadata service.`) : verdict;
    },
  };
}

interface AddressList {
  holds: (address: string) => boolean;
  port: number | undefined;
  isExact: boolean;
}

function listsOf(allowances: readonly EgressAllowance[]): AddressList[] {
  return allowances.map(({ address, prefix, port }) => {
    let addresses: BlockList | undefined;
    return {
      // Made when it is needed: 60 µs each, and a server has 40 addresses and ports of its own.
      holds: (asked) => {
        if (addresses === undefined) {
          addresses = new BlockList();
          addresses.addSubnet(address, prefix, familyOf(address));
        }
        return addresses.check(asked, familyOf(asked));
      },
      port,
      isExact: prefix === bitsOf(address) && port !== undefined,
    };
  });
}

function listMatches(address: string, port: number): (list: AddressList) => boolean {
  // A zone, as in fe80::1%eth0, names a network of this machine: no list has it.
  if (isIP(address) === 0 || address.includes("%")) return () => false;
  return ({ port: listed, holds }) => (listed === undefined || listed === port) && holds(address);
}

function isInNetwork(address: string): boolean {
  return isIP(address) !== 0 && !address.includes("%") && networks.check(address, familyOf(address));
}

function isMetadata(address: string): boolean {
  return isIP(address) !== 0 && !address.includes("%") && metadata.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

function bitsOf(address: string): number {
  return isIP(address) === 6 ? 128 : 32;
}

function refused(reason: string): PolicyVerdict {
  return { allowed: false, reason };
}
