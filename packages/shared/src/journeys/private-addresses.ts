import { BlockList, isIP } from "node:net";
import type { PolicyVerdict } from "@waymark/journeys/run/transport.ts";

// The special-purpose registries of IANA (RFC 6890 and what followed): loopback, private, link-local, shared, multicast,
// documentation, and the prefixes of IPv6 that carry an IPv4 address.
const SPECIAL: readonly [string, number, "ipv4" | "ipv6"][] = [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.0.2.0", 24, "ipv4"],
  ["192.88.99.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["198.51.100.0", 24, "ipv4"],
  ["203.0.113.0", 24, "ipv4"],
  ["224.0.0.0", 3, "ipv4"],
  ["::", 96, "ipv6"],
  ["64:ff9b::", 96, "ipv6"],
  ["64:ff9b:1::", 48, "ipv6"],
  ["100::", 64, "ipv6"],
  ["2001::", 23, "ipv6"],
  ["2001:db8::", 32, "ipv6"],
  ["2002::", 16, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["fe80::", 10, "ipv6"],
  ["fec0::", 10, "ipv6"],
  ["ff00::", 8, "ipv6"],
];

const list = new BlockList();
for (const [address, prefix, family] of SPECIAL) list.addSubnet(address, prefix, family);

/** Refuses every address that is not a public one. IPv4 addresses written as IPv6 count as what they are. */
export function refusePrivate(address: string): PolicyVerdict {
  const family = isIP(address);
  const isPublic = family !== 0 && !list.check(address, family === 6 ? "ipv6" : "ipv4");
  return isPublic ? { allowed: true } : { allowed: false, reason: `${address} is no public address.` };
}
