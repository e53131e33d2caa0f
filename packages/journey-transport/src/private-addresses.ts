import { BlockList, isIP } from "node:net";
import type { PolicyVerdict } from "@waymark/journeys/run/transport.ts";

// The blocks that IANA's special-purpose registries (RFC 6890) list as not globally reachable: loopback, private, link-local,
// shared,
// benchmarks, documentation, reserved; with multicast, and the anycast of the 6to4 relays.
const SPECIAL_IPV4: readonly [string, number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

// The only block of IPv6 that IANA gives out as global unicast. Whatever is outside is no public address: loopback, unique
// local, link-local, multicast, 5f00::/16, 100::/64, and what carries an IPv4 address, which may be a private one: NAT64
// (64:ff9b::/96, 64:ff9b:1::/48), IPv4-translated (::ffff:0:0:0/96), IPv4-compatible (::/96).
const GLOBAL_UNICAST = ["2000::", 3] as const;
/** IPv4 addresses written as IPv6 count as what they are; `BlockList` checks them with the rules of IPv4. */
const IPV4_MAPPED = ["::ffff:0:0", 96] as const;

/** Inside of it: protocol assignments (with Teredo, benchmarks, ORCHID), documentation twice, 6to4. */
const SPECIAL_IPV6: readonly [string, number][] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const special = new BlockList();
for (const [address, prefix] of SPECIAL_IPV4) special.addSubnet(address, prefix, "ipv4");
for (const [address, prefix] of SPECIAL_IPV6) special.addSubnet(address, prefix, "ipv6");

const global = new BlockList();
for (const [address, prefix] of [GLOBAL_UNICAST, IPV4_MAPPED]) global.addSubnet(address, prefix, "ipv6");

/** Refuses every address that is not public. `setting` is a sentence that says which setting refuses or opens it. */
export function refusePrivate(address: string, setting: string): PolicyVerdict {
  return isPublic(address) ? { allowed: true } : { allowed: false, reason: notPublic(address, setting) };
}

/** Returns the reason for an address that is not public. The server's own addresses get it too: another one would tell which ports it uses. */
export function notPublic(address: string, setting: string): string {
  return `${address} is no public address. ${setting}`;
}

function isPublic(address: string): boolean {
  // A zone, as in fe80::1%eth0, names a network of this machine.
  const family = address.includes("%") ? 0 : isIP(address);
  if (family === 4) return !special.check(address, "ipv4");
  return family === 6 && global.check(address, "ipv6") && !special.check(address, "ipv6");
}
