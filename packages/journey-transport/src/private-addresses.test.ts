import { expect, test } from "vitest";
import { refusePrivate } from "./private-addresses.ts";

const SETTING = "--forbid-private refuses it.";

// Blocks of the IANA special-purpose registries of IPv4 and IPv6 (with multicast), each with its first and last address.
test.each([
  ["this network", "0.0.0.0", "0.255.255.255"],
  ["private use", "10.0.0.0", "10.255.255.255"],
  ["shared address space", "100.64.0.0", "100.127.255.255"],
  ["loopback", "127.0.0.0", "127.255.255.255"],
  ["link-local", "169.254.0.0", "169.254.169.254"],
  ["private use", "172.16.0.0", "172.31.255.255"],
  ["protocol assignments", "192.0.0.0", "192.0.0.255"],
  ["documentation 1", "192.0.2.0", "192.0.2.255"],
  ["6to4 relays", "192.88.99.0", "192.88.99.255"],
  ["private use", "192.168.0.0", "192.168.255.255"],
  ["benchmarks", "198.18.0.0", "198.19.255.255"],
  ["documentation 2", "198.51.100.0", "198.51.100.255"],
  ["documentation 3", "203.0.113.0", "203.0.113.255"],
  ["multicast", "224.0.0.0", "239.255.255.255"],
  ["reserved, broadcast", "240.0.0.0", "255.255.255.255"],
  ["unspecified, loopback", "::", "::1"],
  ["IPv4-compatible", "::8.8.8.8", "::ffff:ffff"],
  ["IPv4-mapped private", "::ffff:10.0.0.1", "::ffff:c0a8:1"],
  ["IPv4-mapped loopback and metadata", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe"],
  ["IPv4-translated", "::ffff:0:127.0.0.1", "::ffff:0:ffff:ffff"],
  ["NAT64", "64:ff9b::", "64:ff9b::7f00:1"],
  ["local NAT64", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
  ["discard-only", "100::", "100::ffff:ffff:ffff:ffff"],
  ["dummy", "100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff"],
  ["protocol assignments", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["Teredo", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["benchmarks", "2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff"],
  ["ORCHID", "2001:10::", "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["documentation", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["6to4", "2002::", "2002:7f00:1::"],
  ["documentation", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["segment routing", "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["unique local", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["link-local", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["site-local", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["multicast", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["not given out", "4000::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["with a zone", "fe80::1%eth0", "2606:4700::1111%eth0"],
  ["no address", "", "localhost"],
])("%s: %s and %s are refused", (_, first, last) => {
  expect(refusePrivate(first, SETTING)).toEqual({
    allowed: false,
    reason: `${first} is no public address. ${SETTING}`,
  });
  expect(refusePrivate(last, SETTING).allowed).toBe(false);
});

test.each([
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.0",
  "192.167.255.255",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "::ffff:1.1.1.1",
  "::ffff:808:808",
  "2000::",
  "2001:200::",
  "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
  "2001:db9::",
  "2003::",
  "2606:4700::1111",
  "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
  "3fff:1000::",
])("%s is a public address", (address) => {
  expect(refusePrivate(address, SETTING)).toEqual({ allowed: true });
});
